"""Rules find intent, knowledge and environmental ambiguities, and follow-ups."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import orjson
import pytest

from tools.suites.interact_tasks.definitions import made_tasks
from wardround.authoring.interact.ambiguities.chains import (
    asked_twice,
    through_knowledge,
    transitions,
)
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask
from wardround.authoring.interact.ambiguities.column_values import DatabaseValues
from wardround.authoring.interact.ambiguities.follow_ups import after_question
from wardround.authoring.interact.ambiguities.intent import intent
from wardround.authoring.interact.ambiguities.knowledge import linked, masks
from wardround.authoring.interact.ambiguities.proposal_search import column_noise
from wardround.authoring.interact.ambiguities.proposals import ambiguous
from wardround.authoring.interact.ambiguities.statement_nodes import read_statements
from wardround.benchmarks.interact.tasks import Subtask
from wardround.ehr.database import open_database
from wardround.ehr.knowledge import KnowledgeBase, KnowledgeEntry, clinical_knowledge

HERE = Path(__file__).parent
CASES = [orjson.loads(line) for line in (HERE / "intent.jsonl").read_bytes().splitlines()]
ROWS = """
CREATE TABLE stays (id INTEGER, subject_id INTEGER, ward TEXT, drug TEXT,
                    first_unit TEXT, last_unit TEXT, age INTEGER, sex TEXT, began TEXT,
                    severity INTEGER, dose TEXT, ended TEXT);
INSERT INTO stays VALUES
  (1, 11, 'north ward', 'aspirin', 'x', 'y', 70, 'f', '2100-01-01', 3, '5', '2100-01-02'),
  (2, 12, 'south ward', 'heparin', 'x', 'x', 80, 'm', '2100-05-01', 9, '5-10', NULL),
  (3, 13, 'A', 'insulin', 'y', 'y', 90, '?', '2100-06-01', 20, '7', NULL);
"""


@pytest.fixture
def values(tmp_path: Path) -> Iterator[DatabaseValues]:
    path = tmp_path / "stays.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(ROWS)
    with closing(open_database(str(path))) as database:
        yield DatabaseValues(database, ("stays",))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["clear"])
def test_each_type_of_intent_is_found(case: dict[str, str], values: DatabaseValues) -> None:
    [statement] = read_statements([case["sql"]])
    proposals = intent(case["clear"], statement, values)
    proposal = {(each.kind, each.fragment): each for each in proposals}[
        case["kind"], case["fragment"]
    ]
    assert ambiguous(case["clear"], [proposal]) == case["ambiguous"]
    assert proposal.otherwise[0] == case["reading"]
    assert proposal.worded == bool(proposal.said)


FOLLOW_UPS = [
    line.split("\t") for line in (HERE / "follow_ups.tsv").read_text("utf-8").splitlines()[2:]
]


@pytest.mark.parametrize("case", FOLLOW_UPS, ids=lambda case: f"{case[1]}: {case[0]}")
def test_each_type_of_follow_up_is_found(case: list[str], values: DatabaseValues) -> None:
    sql, *expected = case
    [statement] = read_statements([sql])
    task = ClearTask("one", "hospital", Subtask("Which?", "BI", (sql,)))
    follow_ups = after_question(task, statement, values)
    assert expected in [[each.kind, each.request, each.gold] for each in follow_ups]


NOISE = {
    "dose ~ '^[0-9]+$'": "not always a plain number",
    "ended IS NOT NULL": "leave those out",
    "ended IS NULL": "take those",
    "sex <> '?'": "leave out those",
    "ward IS NOT NULL": "",
    "ward <> '?'": "",
    "drug ~ '^a'": "",
}


@pytest.mark.parametrize(("condition", "expected"), NOISE.items())
def test_noise_requires_irregular_values_in_the_database(
    condition: str, expected: str, values: DatabaseValues
) -> None:
    [statement] = read_statements([f"SELECT COUNT(*) FROM stays WHERE {condition}"])
    proposals = column_noise(statement, values)
    assert [each.fragment for each in proposals] == ([condition] if expected else [])
    assert all(expected in each.meaning for each in proposals)


BASE = KnowledgeBase(
    {
        1: KnowledgeEntry(1, "Anion Gap", "", "Sodium minus 24."),
        2: KnowledgeEntry(2, "Raised Anion Gap", "", "An Anion Gap above 12.", children=(1,)),
        3: KnowledgeEntry(
            3, "Acidosis", "", "A Raised Anion Gap with a ph below 7.35.", children=(2,)
        ),
        4: KnowledgeEntry(4, "Fever", "", "A temperature of 38.3 or more."),
        5: KnowledgeEntry(5, "Low Gap", "", "An Anion Gap below 3 (Smith, 2012).", children=(1,)),
    }
)
GOLD = "SELECT COUNT(*) FROM labs WHERE sodium - 24 > 12 AND ph < 7.35"


def test_entries_with_values_in_the_gold_are_masked() -> None:
    [statement] = read_statements([GOLD])
    proposals = masks((3, 4), statement, BASE)
    assert {each.knowledge: (each.kind, each.fragment) for each in proposals} == {
        1: ("one-shot", "sodium - 24 > 12"),
        2: ("chain", "sodium - 24 > 12"),
        3: ("one-shot", "ph < 7.35"),
    }


def test_entries_are_named_loosely_unless_within_another_name() -> None:
    [statement] = read_statements([GOLD])
    request = "Count results with a Raised Anion Gap."
    [link] = linked(request, (3,), statement, BASE)
    assert ambiguous(request, [link]) == "Count results with an anion gap."
    assert link.meaning == "I mean Raised Anion Gap, as we define it."


def test_a_link_and_the_masks_below_it_are_chains() -> None:
    [statement] = read_statements([GOLD])
    links = linked("Count results with Acidosis.", (3,), statement, BASE)
    pairs = through_knowledge(links, masks((3,), statement, BASE), BASE)
    assert [(link.term or link.becomes, mask.knowledge) for link, mask in pairs] == [
        ("such a case", 1),
        ("such a case", 2),
        ("such a case", 3),
    ]
    assert asked_twice(links[0]) == ()


def test_the_shipped_suite_has_every_transition() -> None:
    base = clinical_knowledge()
    kinds = {kind for task in made_tasks() for kind in transitions(task, base)}
    assert kinds == {"user-user", "user-environment", "environment-user", "user-environment-user"}
