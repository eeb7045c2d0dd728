"""Generated questions: answers, both published formats, splits, and seeds."""

import json
import random
import re
import shutil
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from sqlglot import exp, parse_one
from typer.testing import CliRunner

from tests.authoring.ehrsql.questions.conftest import TEMPLATES, chosen_templates
from tests.cases import for_each
from tests.hospitals import hospital_file
from wardround.apps.command_line.main import app
from wardround.authoring.ehrsql import pair_sources
from wardround.authoring.ehrsql.questions.history_reader import read_history
from wardround.authoring.ehrsql.questions.made_question import answer_text, tag
from wardround.authoring.ehrsql.questions.maker import opened_maker
from wardround.authoring.ehrsql.questions.source import source_of
from wardround.authoring.ehrsql.questions.splits import SPLITS, Plan, split_wordings
from wardround.authoring.ehrsql.questions.suite import likeness, make_ehrsql
from wardround.authoring.ehrsql.templates import question_template
from wardround.benchmarks.ehrsql.preprocessing import preprocessed_2024, runnable
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.errors import UserError
from wardround.ehr.database import open_database

SMALL = 0.001
PUBLISHED = Path(__file__).resolve().parents[4] / "../shared/data/ehrsql-1.5"


@pytest.fixture(scope="module", params=TEMPLATES)
def made_folder(
    request: pytest.FixtureRequest, hospital: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A set with about one question per template and split."""
    folder = tmp_path_factory.mktemp("made") / "q"
    with chosen_templates(request.param):
        make_ehrsql(str(hospital), folder, seed=2, size=SMALL)
        yield folder


def test_pairs_have_answers_and_a_share_is_unanswerable(hospital: Path) -> None:
    pairs = pair_sources.made(str(hospital), seed=1, count=24).pairs
    queries = [pair.sql for pair in pairs if pair.sql]
    assert sum(pair.sql is None for pair in pairs) == 6
    assert len(queries) == 18
    assert len({pair.question for pair in pairs}) == len(pairs)
    now = _end(hospital)
    with_database = sqlite3.connect(hospital)
    for sql in queries:
        rows = with_database.execute(runnable(sql, now)).fetchall()
        assert any(cell is not None for row in rows for cell in row), sql
    with_database.close()


def test_same_seed_makes_the_same_bytes(hospital: Path, made_folder: Path, tmp_path: Path) -> None:
    repeated = tmp_path / "again"
    words = ["tasks", "make", "ehrsql", "--database", str(hospital), "--to", str(repeated)]
    result = CliRunner().invoke(app, [*words, "--size", str(SMALL), "--seed", "2"])
    assert result.exit_code == 0, result.output
    assert f"Written to {repeated}." in result.output.replace("\n", "")
    files = [path.relative_to(made_folder) for path in sorted(made_folder.rglob("*.json"))]
    assert len(files) == 13
    for file in files:
        assert (made_folder / file).read_bytes() == (repeated / file).read_bytes()


def test_exact_moments_have_a_single_value(hospital: Path) -> None:
    counts = {question_template(id): 15 for id in ("lab-compared", "vital-change")}
    with opened_maker(str(hospital), seed=4) as maker:
        questions = maker.answerable(counts)
        of_moments = [q for q in questions if "exact-default" in q.slots.times.ids]
        assert of_moments
        for question in of_moments:
            selects = parse_one(question.sql or "", dialect="sqlite").find_all(exp.Subquery)
            values = [select.this.sql("sqlite") for select in selects if _is_value(select)]
            assert len(values) == 2
            assert all(len(maker.quick.database.execute(value).rows) == 1 for value in values)


def test_values_changed_by_published_preprocessing_are_not_used(
    hospital: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.sqlite"
    shutil.copyfile(hospital, copy)
    with sqlite3.connect(copy) as records:
        records.execute(
            "UPDATE medicationorders SET medicationname = replace(medicationname, ' ', '  ')"
        )
    records.close()
    with opened_maker(str(copy), seed=4) as maker:
        queries = [item.sql or "" for item in maker.answerable({question_template("has-drug"): 20})]
    assert queries
    assert all(preprocessed_2024(sql, "") == runnable(sql, "") for sql in queries)


def test_different_seeds_give_different_pairs() -> None:
    few = str(hospital_file("mimic_iv_star", 12, ending="sqlite"))
    pairs, repeated, other_pairs = (
        pair_sources.made(few, seed, count=8).pairs for seed in (7, 7, 8)
    )
    assert pairs == repeated
    assert set(pairs) != set(other_pairs)


@pytest.mark.parametrize("split", SPLITS)
def test_both_published_formats_load_the_same_questions(made_folder: Path, split: str) -> None:
    of_1_5 = load_tasks(made_folder / "ehrsql-1.5" / f"{split}.json")
    of_2024 = load_tasks(made_folder / "ehrsql-2024" / split)
    assert not of_1_5.defects
    assert not of_2024.defects
    assert [(t.id, t.public, t.hidden.gold) for t in of_1_5.tasks] == [
        (t.id, t.public, t.hidden.gold) for t in of_2024.tasks
    ]
    assert {t.labels["scope"] for t in of_1_5.tasks if "scope" in t.labels} == {
        "none", "single", "group",
    }  # fmt: skip


def test_third_of_valid_and_test_is_unanswerable_and_none_of_train(made_folder: Path) -> None:
    for split, share in (("train", 0.0), ("valid", 0.33), ("test", 0.33)):
        entries = json.loads((made_folder / "ehrsql-1.5" / f"{split}.json").read_text("utf-8"))
        without = sum(entry["is_impossible"] for entry in entries)
        assert without / len(entries) == pytest.approx(share, abs=0.01)


def test_answers_are_the_results_of_the_queries(hospital: Path, made_folder: Path) -> None:
    folder = made_folder / "ehrsql-2024" / "valid"
    labels = json.loads((folder / "label.json").read_text("utf-8"))
    answers = json.loads((folder / "answer.json").read_text("utf-8"))
    now = json.loads((folder / "data.json").read_text("utf-8"))["current_time"]
    with_database = sqlite3.connect(hospital)
    for id, sql in labels.items():
        if sql == "null":
            assert answers[id] == "null"
        else:
            rows = with_database.execute(runnable(sql, now)).fetchall()
            assert answer_text(rows) == answers[id]
    with_database.close()


def test_splits_share_no_wording() -> None:
    for id in ("gender", "lab-value", "drug-maker"):
        shares = split_wordings(question_template(id), seed=4)
        wordings = [wording for split in SPLITS for wording in shares[split]]
        assert len(wordings) == len(set(wordings))
        assert all(shares[split] for split in SPLITS)


def test_additional_wordings_are_divided_among_splits() -> None:
    more = [f"Gender of patient {{patient_id}}, please, for list {n}?" for n in range(20)]
    gender, birth = question_template("gender"), question_template("birth")
    plan = Plan("test", [], 4, 1.0, {"gender": more})
    assert plan.wordings(birth) == Plan("test", [], 4, 1.0).wordings(birth)
    assert len(plan.wordings(gender)) == 6
    assert set(plan.wordings(gender)) & set(more)


def test_counts_match_the_paper() -> None:
    few, some, many = (
        question_template(id)
        for id in ("gender", "length-of-stay", "top-drugs-after-diagnosis-gender")
    )
    for seed in range(20):
        train = Plan("train", [few, some, many], seed, 1).counts()
        assert 30 <= train[few] <= 60
        assert 50 <= train[many] <= 100
        valid = Plan("valid", [few, some, many], seed, 1).counts()
        assert set(valid.values()) <= {4, 5}
        test = Plan("test", [few, some], seed, 1).counts()
        assert test[few] in (4, 5)
        assert test[some] in (12, 15)


@for_each(
    [
        ("SELECT COUNT(*) > 0 FROM a", 1, 1, False, False),
        ("SELECT MAX(a.v) FROM a WHERE a.k IN (SELECT b.k FROM b)", 2, 2, False, True),
        ("SELECT datetime(a.at) FROM a", 1, 1, True, False),
        ("SELECT a.v FROM a ORDER BY a.at DESC LIMIT 1", 1, 1, True, True),
        ("SELECT a.v FROM a ORDER BY a.at DESC LIMIT 1 OFFSET 1", 1, 1, True, False),
        ("SELECT (SELECT a.v FROM a) - (SELECT b.v FROM b)", 2, 2, False, False),
        ("SELECT a.v FROM a WHERE a.v IS NOT NULL", 1, 1, False, False),
        ("SELECT t.v FROM (SELECT a.v FROM a) AS t", 1, 2, False, False),
        ("SELECT a.v FROM a WHERE a.k = (SELECT b.k FROM b)", 2, 2, False, True),
    ]
)
def test_statistics_of_a_query(
    sql: str, tables: int, nesting: int, time: bool, spider: bool
) -> None:
    assert likeness(sql, {"at"}, "sqlite") == (tables, nesting, time, spider)


@pytest.mark.skipif(
    not PUBLISHED.is_dir(),
    reason="no published files: the paper's numbers of queries are not counted again",
)
@pytest.mark.parametrize(("database", "count", "easy"), [("mimic_iii", 57, 12), ("eicu", 50, 9)])
def test_number_of_queries_in_spiders_grammar_matches_the_paper(
    database: str, count: int, easy: int
) -> None:
    questions = json.loads((PUBLISHED / database / "valid.json").read_text("utf-8"))
    queries = [entry["query"] for entry in questions if not entry["is_impossible"]]
    in_spider = [sql for sql in queries if likeness(sql, set(), "sqlite").in_spider]
    assert len(in_spider) == count
    flat = [sql for sql in in_spider if not re.search(r"\(\s*select|order by|union", sql)]
    assert len(flat) == easy, "those that the paper's Table 6 has as easy"


def test_tags_are_written_as_published() -> None:
    template = question_template("lab-change")
    assert tag(template.question, {"exact1": "exact-first"}) == (
        "By how much did the {lab_name} of patient {patient_id} [time_filter_exact2] measured "
        "[time_filter_global2] differ from the [time_filter_exact1:exact-first] value measured "
        "[time_filter_global1]?"
    )


def test_existing_folder_is_refused(hospital: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="already exists"):
        make_ehrsql(str(hospital), tmp_path, seed=1)


def test_unknown_schema_is_refused_without_output(tmp_path: Path) -> None:
    unknown = tmp_path / "other.sqlite"
    connection = sqlite3.connect(unknown)
    connection.executescript("CREATE TABLE sales (id INTEGER); INSERT INTO sales VALUES (1)")
    connection.close()
    with pytest.raises(UserError, match="has tables of its own; propose a record map"):
        make_ehrsql(str(unknown), tmp_path / "q", seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["other.sqlite"]


def test_too_few_patients_are_refused(hospital: Path, tmp_path: Path) -> None:
    few = tmp_path / "few.sqlite"
    shutil.copy(hospital, few)
    connection = sqlite3.connect(few)
    with connection:
        first = "SELECT MIN(patientid) FROM hospitaladmissions"
        connection.execute(f"DELETE FROM hospitaladmissions WHERE patientid > ({first})")
    connection.close()
    with pytest.raises(UserError, match="too few patients with a hospital stay to ask about: 1,"):
        make_ehrsql(str(few), tmp_path / "q", seed=1)


def test_history_has_labels_units_and_the_order_of_times(hospital: Path) -> None:
    database = open_database(hospital)
    history = read_history(source_of(database), random.Random(0))
    database.close()
    assert history.persons
    assert all(event.label for event in history.events["lab"])
    assert all(event.unit is not None for event in history.events["vital"])
    times = [event.time for event in history.events["drug"]]
    assert times == sorted(times)


def _is_value(select: exp.Subquery) -> bool:
    """True if a select is a scalar subquery rather than an IN list."""
    return select.find_ancestor(exp.In) is None


def _end(hospital: Path) -> str:
    database = open_database(hospital)
    history = read_history(source_of(database), random.Random(0))
    database.close()
    year = max(stay.start for stay in history.stays.values()).year
    return f"{datetime(year, 12, 31, 23, 59)}"
