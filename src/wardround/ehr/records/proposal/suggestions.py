"""Suggestions of a language model from the names and types of a table's columns; no values."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pydantic import BaseModel, create_model

from wardround.ehr.records.model import record_kinds
from wardround.ehr.records.proposal.evidence import Evidence
from wardround.ehr.records.proposal.fields import Field
from wardround.ehr.records.proposal.kinds import FieldChoice, KindChoice

# The model and the rules both read names, so their agreement counts once.
_EVIDENCE: Evidence = (("name", "a language model reads the name so"),)


# Answers a prompt about a table in a form; None if the answer has another form.
Suggest: TypeAlias = Callable[[str, str, type[BaseModel]], BaseModel | None]


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Asks a language model about tables.

    Attributes:
        suggest: Asks about a table by name, with a prompt and the form of the answer.
    """

    suggest: Suggest

    def kind(
        self, table: str, fields: Sequence[Field], used_columns: Collection[str]
    ) -> KindChoice | None:
        """The kind of a table's rows that nothing else tells; None if the model names none."""
        free = _free(fields, used_columns)
        kinds = [kind for kind, entry in record_kinds().items() if "record" in entry.columns]
        suggestion = self._answer_for(table, free, kinds)
        kind = suggestion.get("kind")
        columns = _fitting(suggestion, kind, free) if kind in kinds else {}
        return KindChoice(kind, columns, _EVIDENCE, "", 0.0) if kind and columns else None

    def columns(
        self,
        kind: str,
        table: str,
        fields: Sequence[Field],
        used_columns: Collection[str],
        choices: Mapping[str, FieldChoice],
    ) -> dict[str, FieldChoice]:
        """The columns of a known kind, with those that only the model finds."""
        used = {choice.field.facts.column for choice in choices.values()}
        left = [field for field in _free(fields, used_columns) if field.facts.column not in used]
        return {**_fitting(self._answer_for(table, left, [kind]), kind, left), **choices}

    def _answer_for(
        self, table: str, fields: Sequence[Field], kinds: Sequence[str]
    ) -> dict[str, str | None]:
        """The kind, and the table's columns by the kind's; empty without an answer."""
        columns = [field for field in fields if not field.through]
        if not columns:
            return {}
        answer = self.suggest(table, _prompt(table, columns, kinds), _form(columns, kinds))
        return answer.model_dump() if answer else {}


def _free(fields: Sequence[Field], used_columns: Collection[str]) -> list[Field]:
    """The fields that are no keys and no times."""
    return [f for f in fields if f.facts.column.name not in used_columns and f.facts.type != "time"]


def _prompt(table: str, fields: Sequence[Field], kinds: Sequence[str]) -> str:
    listed = "\n".join(f"- {f.facts.column.name} ({f.facts.type})" for f in fields)
    known = "\n".join(
        f"- {kind}, {record_kinds()[kind].meaning}: {', '.join(_fillable(kind))}" for kind in kinds
    )
    return (
        f"The table {table} of a hospital's database has these columns:\n{listed}\n\n"
        f"Kinds of record, and their columns:\n{known}\n\n"
        "Which kind are the rows of the table, and which of its columns is which column of the"
        " kind? Answer in JSON; null is for what you are not sure of."
    )


def _form(fields: Sequence[Field], kinds: Sequence[str]) -> type[BaseModel]:
    """An answer that names existing kinds and columns only."""
    columns: Any = Literal[tuple(field.facts.column.name for field in fields)]
    kind_type: Any = Literal[tuple(kinds)]
    names = dict.fromkeys(name for kind in kinds for name in _fillable(kind))
    parts: dict[str, Any] = dict.fromkeys(names, (columns | None, None))
    return create_model("Suggestion", **{"kind": (kind_type | None, None), **parts})


def _fillable(kind: str) -> list[str]:
    """The columns that names can tell: keys and times are found in the data."""
    columns = record_kinds()[kind].columns
    return [name for name, type_ in columns.items() if type_ not in ("key", "time")]


def _fitting(
    suggestion: Mapping[str, str | None], kind: str, fields: Sequence[Field]
) -> dict[str, FieldChoice]:
    """The suggested columns that exist, each once, of a type that fits."""
    by_name = {field.facts.column.name: field for field in fields if not field.through}
    choices: dict[str, FieldChoice] = {}
    for column in _fillable(kind):
        field = by_name.get(suggestion.get(column) or "")
        is_number = record_kinds()[kind].columns[column] == "number"
        if field and (field.facts.type in ("integer", "number") or not is_number):
            choices[column] = FieldChoice(by_name.pop(field.facts.column.name), _EVIDENCE)
    return choices
