"""Suggestions of a language model from the names and types of a table's columns; no values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pydantic import BaseModel
from pydantic import Field as Described

from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.fields import Field
from wardround.ehr.records.proposal.kinds import FieldChoice, KindChoice

# A model reads names, as the rest does: what both read in a name is one piece of evidence.
_EVIDENCE: Evidence = (("name", "a language model reads the name so"),)


class Suggestion(BaseModel):
    """The kind of a table's rows, and its columns."""

    kind: str = Described(description="A kind of record, or none.")
    columns: dict[str, str] = Described(
        default_factory=dict, description="Columns of the table by columns of the kind."
    )


Suggest: TypeAlias = Callable[[str, str], Suggestion]


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Asks a language model about tables.

    Attributes:
        suggest: Answers a prompt about a table, which it gets by name.
    """

    suggest: Suggest

    def kind(self, table: str, free: Sequence[Field]) -> KindChoice | None:
        """The kind of a table's rows that nothing else tells; None if the model names none."""
        kinds = [kind for kind, entry in record_kinds().items() if "record" in entry.columns]
        suggestion = self._asked(table, free, kinds)
        if suggestion is None or suggestion.kind not in kinds:
            return None
        columns = _fitting(suggestion, suggestion.kind, free)
        return KindChoice(suggestion.kind, columns, _EVIDENCE, "", 0.0) if columns else None

    def columns(
        self, kind: str, table: str, free: Sequence[Field], found: Mapping[str, FieldChoice]
    ) -> dict[str, FieldChoice]:
        """The columns of a known kind, with those that only the model finds."""
        used = {choice.field.facts.column for choice in found.values()}
        left = [field for field in free if field.facts.column not in used]
        suggestion = self._asked(table, left, [kind])
        further = _fitting(suggestion, kind, left) if suggestion else {}
        return {**further, **found}

    def _asked(
        self, table: str, fields: Sequence[Field], kinds: Sequence[str]
    ) -> Suggestion | None:
        own = [field for field in fields if not field.through]
        return self.suggest(table, _prompt(table, own, kinds)) if own else None


def _prompt(table: str, fields: Sequence[Field], kinds: Sequence[str]) -> str:
    listed = "\n".join(f"- {f.facts.column.name} ({f.facts.type})" for f in fields)
    known = "\n".join(
        f"- {kind}, {record_kinds()[kind].meaning}: {', '.join(_fillable(kind))}" for kind in kinds
    )
    return (
        f"The table {table} of a hospital's database has these columns:\n{listed}\n\n"
        f"Kinds of record, and their columns:\n{known}\n\n"
        'Answer with a JSON object: {"kind": KIND, "columns": {COLUMN OF THE KIND: COLUMN OF THE'
        " TABLE}}. Leave out what you are not sure of; if no kind fits, its kind is none."
    )


def _fillable(kind: str) -> list[str]:
    """The columns that names can tell: keys and times are found in the data."""
    columns = record_kinds()[kind].columns
    return [name for name, type_ in columns.items() if type_ not in ("key", "time")]


def _fitting(suggestion: Suggestion, kind: str, fields: Sequence[Field]) -> dict[str, FieldChoice]:
    """The suggested columns that exist, each once, of a type that fits."""
    own = {field.facts.column.name: field for field in fields if not field.through}
    found: dict[str, FieldChoice] = {}
    for column in _fillable(kind):
        field = own.pop(suggestion.columns.get(column, ""), None)
        is_number = record_kinds()[kind].columns[column] == "number"
        if field and (field.facts.type in ("integer", "number") or not is_number):
            found[column] = FieldChoice(field, _EVIDENCE)
    return found
