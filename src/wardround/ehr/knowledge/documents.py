"""Reads knowledge bases and column meanings in the published format."""

from dataclasses import dataclass
from functools import cache
from glob import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.knowledge.graph import cycle
from wardround.ehr.knowledge.meanings import Meanings, meanings_of, read_meanings
from wardround.ehr.knowledge.model import KnowledgeBase, KnowledgeEntry


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


def own_documents(database: Database) -> Documents:
    """The packaged knowledge base, and column meanings of the database's layout."""
    return Documents(clinical_knowledge(), meanings_of(database))


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


class PublishedEntry(BaseModel):
    """An entry in the published format; ignores other fields."""

    model_config = ConfigDict(extra="ignore")

    id: int = Field(ge=0)
    knowledge: str = Field(min_length=1)
    description: str = ""
    definition: str
    type: str = ""
    children_knowledge: tuple[int, ...] = ()

    @field_validator("children_knowledge", mode="before")
    @classmethod
    def _as_ids(cls, value: Any) -> Any:
        """Read -1 or null as no children, and a single id as a list."""
        if value is None or value == -1:
            return ()
        return (value,) if isinstance(value, int) else value

    def as_entry(self) -> KnowledgeEntry:
        """The entry, with distinct children in file order."""
        return KnowledgeEntry(
            self.id,
            self.knowledge.strip(),
            self.description,
            self.definition,
            self.type,
            tuple(dict.fromkeys(self.children_knowledge)),
        )


def read_knowledge(path: Path) -> KnowledgeBase:
    """Read a knowledge base from a file.

    Raises:
        UserError: The file is missing or malformed.
    """
    if not path.is_file():
        raise UserError(f"The knowledge base {path} does not exist; check the path.")
    return parse_knowledge(path.read_bytes(), str(path))


def parse_knowledge(content: bytes, source: str) -> KnowledgeBase:
    """Parse a knowledge base.

    Args:
        content: JSON Lines of `id`, `knowledge`, `description`, `definition`, `type` and
            `children_knowledge`, which is a list of ids or -1.
        source: The name of the content in error messages.

    Raises:
        UserError: A line is malformed, an id is duplicate or unknown, or entries depend on each
            other in a cycle.
    """
    entries: dict[int, KnowledgeEntry] = {}
    lines: dict[int, int] = {}
    for number, line in enumerate(content.splitlines(), start=1):
        if line.strip():
            entry = _entry(line, f"{source}, line {number}")
            if entry.id in entries:
                raise UserError(
                    f"{source}, line {number}: the id {entry.id} is already used in line "
                    f"{lines[entry.id]}; give it another."
                )
            entries[entry.id], lines[entry.id] = entry, number
    _check_graph(entries, lines, source)
    return KnowledgeBase(entries)


def _entry(line: bytes, where: str) -> KnowledgeEntry:
    try:
        return PublishedEntry.model_validate(orjson.loads(line)).as_entry()
    except orjson.JSONDecodeError as error:
        raise UserError(f"{where} is not valid JSON ({error}); fix the line.") from None
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "the entry"
        raise UserError(f"{where}: {field}: {problem['msg']}; fix the line.") from None


def _check_graph(entries: dict[int, KnowledgeEntry], lines: dict[int, int], source: str) -> None:
    for entry in entries.values():
        for child in entry.children:
            if child not in entries:
                raise UserError(
                    f"{source}, line {lines[entry.id]}: children_knowledge: {entry.name!r} is "
                    f"built on {child}, which does not exist; correct it or add the entry."
                )
    loop = cycle(KnowledgeBase(entries))
    if loop:
        names = " → ".join(repr(entries[id].name) for id in loop)
        raise UserError(
            f"{source}, line {lines[loop[0]]}: children_knowledge: entries depend on each "
            f"other in a cycle, {names}; remove one of these links."
        )
