"""Documentation of a database: its knowledge base and column meanings."""

from dataclasses import dataclass
from functools import cache
from glob import escape
from importlib.resources import files
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.knowledge.meanings import Meanings, read_meanings
from wardround.ehr.knowledge.model import KnowledgeBase
from wardround.ehr.knowledge.parse import parse_knowledge, read_knowledge


@dataclass(frozen=True)
class Documents:
    """A database's knowledge base and column meanings."""

    knowledge: KnowledgeBase
    meanings: Meanings


@cache
def clinical_knowledge() -> KnowledgeBase:
    """The packaged clinical knowledge base, for the layout `ehrsql_mimic_iv`.

    >>> clinical_knowledge().named("Shock Index").kind
    'calculation_knowledge'
    """
    file = files("wardround.ehr.knowledge") / "data" / "clinical.jsonl"
    return parse_knowledge(file.read_bytes(), "the clinical knowledge base")


def read_documents(folder: Path, database: str) -> Documents:
    """Read a database's documents from files in the published format.

    The files are `<database>_kb.jsonl` and `<database>_column_meaning….json`, in the folder or in
    its subfolder `<database>`.

    Raises:
        UserError: A file is missing, ambiguous or unreadable.
    """
    knowledge = _only(folder, database, "_kb.jsonl")
    meanings = _only(folder, database, "_column_meaning*.json")
    return Documents(read_knowledge(knowledge), read_meanings(meanings, database))


def _only(folder: Path, database: str, ending: str) -> Path:
    folders = (folder, folder / database)
    paths = [path for each in folders for path in sorted(each.glob(escape(database) + ending))]
    if len(paths) != 1:
        raise UserError(
            f"{folder} holds {len(paths)} files {database}{ending} instead of one; "
            "choose a folder with exactly one."
        )
    return paths[0]
