"""Questions made from templates: two of each, answered by SQL."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import duckdb

from wardround.core.packaged_data import read_toml
from wardround.ehr.fhir.interaction import FhirServer
from wardround.ehr.fhir.mimic import kinds
from wardround.ehr.fhir.paging import requested

COLUMNS = (
    "split", "question_id", "question", "sql_query", "true_answer", "assumption",
    "patient_fhir_id", "template", "val_dict", "true_fhir_ids",
)  # fmt: skip
A_TEMPLATE = 2


@dataclass(frozen=True, slots=True)
class Template:
    """A template of questions; see `templates.toml`."""

    name: str
    question: str
    pick: str
    answer: str
    assumption: str = ""
    resources: tuple[tuple[str, str], ...] = ()
    follow: tuple[str, ...] = ()


def templates() -> list[Template]:
    """The templates of the shipped questions."""
    read = read_toml(__package__, "templates.toml")["template"]
    return [
        Template(
            **{**each, "resources": tuple(each.get("resources", {}).items())}
            | {"follow": tuple(each.get("follow", ()))}
        )
        for each in read
    ]


def made_questions(hospital: duckdb.DuckDBPyConnection, server: FhirServer) -> list[dict[str, str]]:
    """The rows of the published form.

    Raises:
        ValueError: a template has too few candidates.
        FhirError: a true resource is not in the record.
    """
    return [row for template in templates() for row in _of_template(template, hospital, server)]


def _of_template(
    template: Template, hospital: duckdb.DuckDBPyConnection, server: FhirServer
) -> Iterator[dict[str, str]]:
    found = hospital.execute(template.pick)
    names = [column[0] for column in found.description or ()]
    candidates = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    if len(candidates) < A_TEMPLATE:
        raise ValueError(f"The template {template.name} has {len(candidates)} candidates.")
    for number, values in enumerate(_spread(candidates), start=1):
        sql = " ".join(template.answer.format(**values).split())
        answer = [[_plain(cell) for cell in row] for row in hospital.execute(sql).fetchall()]
        yield {
            "split": "shipped",
            "question_id": f"{template.name.replace(' ', '-')}-{number}",
            "question": template.question.format(**values),
            "sql_query": sql,
            "true_answer": repr(sorted(answer, key=str)),
            "assumption": template.assumption,
            "patient_fhir_id": kinds.resource_id("Patient", str(values["subject_id"])),
            "template": template.name,
            "val_dict": repr({name: _plain(value) for name, value in values.items()}),
            "true_fhir_ids": repr(_true_ids(template, values, hospital, server)),
        }


def _spread(candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Candidates from one third and from two thirds of the list, of two patients if possible."""
    count = len(candidates)
    first = candidates[count // 3]
    later = [*candidates[2 * count // 3 :], *candidates]
    others = [each for each in later if each["subject_id"] != first["subject_id"]]
    return [first, (others or [each for each in later if each != first])[0]]


def _true_ids(
    template: Template,
    values: dict[str, Any],
    hospital: duckdb.DuckDBPyConnection,
    server: FhirServer,
) -> dict[str, list[str]]:
    ids: dict[str, set[str]] = {}
    for name, sql in template.resources:
        kind: kinds.Kind = getattr(kinds, name)
        for (key,) in hospital.execute(sql.format(**values)).fetchall():
            id = kinds.resource_id(kind.name, str(key))
            ids.setdefault(kind.type, set()).add(id)
            for reference in _references(requested(server, f"{kind.type}/{id}")):
                type, _, referred = reference.partition("/")
                if type in template.follow:
                    ids.setdefault(type, set()).add(referred)
    return {type: sorted(found) for type, found in ids.items()}


def _references(node: Any) -> Iterator[str]:
    """All references in a resource."""
    if isinstance(node, dict):
        if isinstance(node.get("reference"), str):
            yield node["reference"]
        node = list(node.values())
    for each in node if isinstance(node, list) else ():
        yield from _references(each)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return str(value)
    return float(value) if isinstance(value, Decimal) else value
