"""What is written about a database: its knowledge base and the meanings of its columns."""

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
    """A database's knowledge base and the meanings of its columns."""

    knowledge: KnowledgeBase
    meanings: Meanings


@cache
def clinical_knowledge() -> KnowledgeBase:
    """The clinical knowledge base that comes with wardround, for MIMIC-IV in EHRSQL's form.

    >>> clinical_knowledge().named("Shock Index").kind
    'calculation_knowledge'
    """
    file = files("wardround.ehr.knowledge") / "data" / "clinical.jsonl"
    return parse_knowledge(file.read_bytes(), "the clinical knowledge base")


def read_documents(folder: Path, database: str) -> Documents:
    """What a folder holds about a database, in files as they are published.

    The files are `<database>_kb.jsonl` and `<database>_column_meaning….json`, in the folder or
    in one within it that is named after the database.

    Raises:
        UserError: One of the two is missing, is there more than once, or cannot be read.
    """
    knowledge = _only(folder, database, "_kb.jsonl")
    meanings = _only(folder, database, "_column_meaning*.json")
    return Documents(read_knowledge(knowledge), read_meanings(meanings, database))


def _only(folder: Path, database: str, ending: str) -> Path:
    places = (folder, folder / database)
    found = [path for place in places for path in sorted(place.glob(escape(database) + ending))]
    if len(found) != 1:
        raise UserError(
            f"{folder} holds {len(found)} files {database}{ending} about the database, not one; "
            "name a folder with one of them."
        )
    return found[0]
