"""wardround's queries give the rows of EHRSQL 1.5's published queries on a synthetic hospital.

The original databases are not public, so the values of a published question are replaced by the
hospital's, in the published query and in the slots.
"""

import hashlib
import json
import random
import tomllib
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sqlglot import exp, parse_one

from tests.authoring.ehrsql.templates.filling import NOW, Values
from wardround.authoring.ehrsql.templates.layout_tables import load_records
from wardround.authoring.ehrsql.templates.question_sql import query
from wardround.authoring.ehrsql.templates.question_text import Slots, Value
from wardround.authoring.ehrsql.templates.slot_choices import all_operations
from wardround.authoring.ehrsql.templates.templates import (
    TIME_SLOTS,
    QuestionTemplate,
    question_template,
)
from wardround.benchmarks.ehrsql.preprocessing import runnable
from wardround.ehr.database import Database, open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.ingest.preparation import Plan, prepare
from wardround.ehr.times import TimeFilter, TimeTag, query_time_filters

HERE = Path(__file__).parent
PUBLISHED = HERE.parents[3] / ".." / "shared" / "data" / "ehrsql-1.5"
QUIRKS = tomllib.loads((HERE / "published_quirks.toml").read_text(encoding="utf-8"))
A_KIND = 2

pytestmark = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="no EHRSQL 1.5: tags are not compared with the published ones"
)


@pytest.mark.parametrize(("official", "counts"), [("mimic_iii", (331, 129)), ("eicu", (322, 151))])
def test_template_returns_the_rows_of_the_published_query(
    official: str, counts: tuple[int, int], tmp_path: Path
) -> None:
    source, place = str(tmp_path / "official.duckdb"), str(tmp_path / "prepared.sqlite")
    build_hospital(source, patients=12, seed=5, schema=official, workers=1)
    first, now = datetime(2100, 1, 1), datetime.fromisoformat(NOW.replace("2100", "2105"))
    list(prepare(source, place, Plan(current=0.3, now=now, first=first)))
    schema, agreed, answered = f"ehrsql_{official}", 0, 0
    with closing(open_database(place)) as database:
        values = Values(database, schema)
        for kind, questions in _sample(official).items():
            for entry in questions:
                gold, sql = _both(entry, kind, schema, values, database, now)
                if gold == sql:
                    agreed += 1
                    answered += any(cell not in ("None", "0") for row in gold for cell in row)
                else:
                    assert kind in QUIRKS[schema] or len(gold) > 1, (kind, entry["id"], gold, sql)
    assert (agreed, answered) == counts


def _both(
    entry: dict[str, Any],
    kind: str,
    schema: str,
    values: Values,
    database: Database,
    now: datetime,
) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    template, chance = question_template(kind), random.Random(entry["id"])
    new = {slot: _new(slot, entry["value"], values, schema, chance) for slot in template.values}
    gold = _replaced(entry["query"], entry["value"], new)
    operations = {
        slot: name
        for slot, name in zip(all_operations(), entry["o_tag"], strict=True)
        if slot in template.operations
    }
    sql = query(template, load_records(schema), Slots(new, operations, _times(template, entry)))
    moment = f"{now:%Y-%m-%d %H:%M:%S}"
    return _rows(database, runnable(gold, moment)), _rows(database, runnable(sql, moment))


def _new(
    slot: str, old: Mapping[str, Any], values: Values, schema: str, chance: random.Random
) -> Value:
    if slot == "vital_name":
        return str(old[slot])
    if slot == "vital_value":
        return float(old[slot])
    if slot == "gender":
        return str(old[slot])
    return chance.choice(values.of(slot.rstrip("123")) or ["x"])


def _replaced(sql: str, old: Mapping[str, Any], new: Mapping[str, Value]) -> str:
    """The published query with the new values and all codes of a title."""
    tree = parse_one(sql.replace("= ( select d_icd", "in ( select d_icd"), dialect="sqlite")
    for node in list(tree.find_all(exp.Literal)):
        for slot, value in new.items():
            if _is_it(node.name, old.get(slot)):
                node.replace(_literal(value))
                break
    return tree.sql("sqlite").replace("'%y", "'%Y").replace("'%j'", "'%J'")


def _times(template: QuestionTemplate, entry: dict[str, Any]) -> TimeTag:
    """The time filters of a question: templates by its tag, values by its query."""
    filters = defaultdict(list)
    tree = parse_one(entry["query"], dialect="sqlite")
    assert isinstance(tree, exp.Expression)
    for filter, _ in query_time_filters(tree):
        filters[filter.template.id].append(filter)
    tags = zip(TIME_SLOTS, entry["t_tag"], strict=True)
    templates = {slot: id for slot, id in tags if id and slot in template.times}
    return TimeTag(**{slot: _of_slot(slot, filters[id]) for slot, id in templates.items()})


def _of_slot(slot: str, filters: list[TimeFilter]) -> TimeFilter:
    """Selects the filter of a slot; of two exact times the query has the later one first."""
    return filters[-1] if slot == "exact1" else filters[0]


def _is_it(literal: str, old: object) -> bool:
    """True if a literal equals the old value, as text or as a number."""
    if old is None:
        return False
    try:
        return float(literal) == float(str(old))
    except ValueError:
        return literal == str(old)


def _literal(value: Value) -> exp.Expr:
    if isinstance(value, str):
        return exp.Literal.string(value)
    return exp.Literal.number(value)


def _rows(database: Database, sql: str) -> list[tuple[str, ...]]:
    rows = database.execute(sql).rows
    return sorted(tuple(_cell(cell) for cell in row) for row in rows)


def _cell(cell: object) -> str:
    try:
        return f"{round(float(str(cell)), 3):g}"
    except ValueError:
        return str(cell)


def _sample(official: str) -> dict[str, list[dict[str, Any]]]:
    """A sample of published questions of each kind."""
    sample: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in json.loads((PUBLISHED / official / "valid.json").read_text(encoding="utf-8")):
        if question["is_impossible"]:
            continue
        digest = hashlib.sha256(question["q_tag"].encode()).hexdigest()[:16]
        if len(sample[_kinds()[digest]]) < A_KIND:
            sample[_kinds()[digest]].append(question)
    return sample


@cache
def _kinds() -> dict[str, str]:
    lines = (HERE / "published_kinds.tsv").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))
