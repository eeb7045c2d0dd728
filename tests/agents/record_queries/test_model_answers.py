"""`wardround ask --model`: the model's query is checked, read, and set beside the parser's."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.agents.record_queries.small_ward import write_ward
from tests.apps.commands import Cli, Ran

ASKED = "How many women were given heparin?"
RIGHT = (
    "SELECT COUNT(DISTINCT d.patient) FROM drug d JOIN patient p ON p.patient = d.patient "
    "WHERE d.name = 'Heparin' AND p.sex = 'f'"
)
MODEL = """\
import json
import os
from pathlib import Path

from wardround.models import ModelCall, Reply


def answer(request):
    steps = json.loads(Path(os.environ["ASKED_STEPS"]).read_text())
    step = steps[sum(message.role == "tool" for message in request.messages)]
    if isinstance(step, str):
        return Reply(step)
    tool, arguments = step
    return Reply("", (ModelCall("call", tool, arguments),))
"""


@pytest.fixture(scope="module", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache in which the parser of the ward is trained once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_ward(tmp_path_factory.mktemp("ward"))


@pytest.fixture
def ask(
    cli: Cli, ward: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> "Ask":
    return Ask(cli, ward, tmp_path, monkeypatch)


class Ask:
    """Asks the ward with a model that takes steps from a list."""

    def __init__(
        self, cli: Cli, ward: tuple[Path, Path], folder: Path, patch: pytest.MonkeyPatch
    ) -> None:
        self._cli = cli
        self._folder = folder
        path, map_path = ward
        self._words = ("ask", "--database", path, "--map", map_path)
        patch.setenv("ASKED_STEPS", str(folder / "steps.json"))
        (folder / "asked_model.py").write_text(MODEL)
        patch.syspath_prepend(str(folder))

    def __call__(self, steps: Sequence[object], *more: object, question: str = ASKED) -> Ran:
        (self._folder / "steps.json").write_text(json.dumps(steps))
        return self._cli(*self._words, "--model", "asked_model:answer", *more, question)


def submitted(sql: str) -> tuple[str, dict[str, str]]:
    return ("submit_sql", {"query": sql})


def test_a_query_that_the_parser_confirms_has_no_doubt(ask: Ask) -> None:
    names = ("find_names", {"kind": "drug", "text": "heparin"})
    ran = ask([names, ("run_sql", {"query": RIGHT}), submitted(RIGHT)])
    assert ran.code == 0, ran.err
    assert "Understood: Count of patients.\n  Female.\n  Prescribed 'Heparin'.\n" in ran.out
    assert "Doubt" not in ran.out
    assert ran.out.splitlines()[-1] == "3"


def test_a_query_with_other_rows_has_a_doubt(ask: Ask) -> None:
    wrong = RIGHT.replace("DISTINCT d.patient", "DISTINCT p.sex")
    (entry,) = json.loads(ask([submitted(wrong)], "--json").out)
    assert entry["rows"] == [[1]]
    assert entry["understood"][0].startswith("Gives COUNT(DISTINCT patient.sex) of drug, patient")
    (doubt,) = entry["doubts"]
    assert doubt.startswith("The parser gets 3, for it reads: Count of patients. Female.")


def test_a_question_that_only_the_model_understands_has_a_doubt(ask: Ask) -> None:
    of_sex = "(SELECT COUNT(*) FROM patient WHERE sex = '{}')"
    sql = f"SELECT {of_sex.format('f')} - {of_sex.format('m')}"
    ran = ask([submitted(sql)], question="How many more women than men are there?")
    assert "nothing confirms the query" in ran.out
    assert ran.out.splitlines()[-1] == "0"


def test_a_query_that_leaves_a_word_out_is_refused(ask: Ask) -> None:
    ran = ask([submitted("SELECT COUNT(DISTINCT patient) FROM drug WHERE name = 'Heparin'")])
    assert ran.code == 1
    assert 'No answer: The query of the model leaves "women" out.' in ran.out
    assert "Doubt: The parser has an answer" in ran.out
    assert "SQL: " not in ran.out


def test_a_query_that_fails_goes_back_to_the_model(ask: Ask) -> None:
    ran = ask(
        [submitted("SELECT 1 FROM orders"), submitted("SELECT none FROM drug"), submitted(RIGHT)]
    )
    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "3"


def test_a_model_that_abstains_is_no_answer(ask: Ask) -> None:
    ran = ask([("abstain", {"reason": "no doctors here."})], question="Who is the doctor?")
    assert ran.code == 1
    assert "No answer: asked_model:answer gives no answer: no doctors here." in ran.out


def test_a_model_that_only_talks_ends_at_its_limit(ask: Ask) -> None:
    ran = ask(["Let me think."])
    assert ran.code == 1
    assert "it submitted no query in 12 actions" in ran.out


def test_a_query_that_fails_again_and_again_ends_the_question(ask: Ask) -> None:
    """The third time says no more than the first; the reason is that of the query."""
    ran = ask([submitted("SELECT number FROM drug")] * 3)
    assert ran.code == 1
    assert "its last query does not run" in ran.out
    assert "number" in ran.out


def test_the_tables_are_not_written_to(ask: Ask) -> None:
    ran = ask([submitted("DELETE FROM drug"), submitted(RIGHT)])
    assert ran.out.splitlines()[-1] == "3"


def test_a_recording_answers_again(ask: Ask, tmp_path: Path) -> None:
    first = ask([submitted(RIGHT)], "--record", tmp_path / "talk.jsonl")
    again = ask([], "--replay", tmp_path / "talk.jsonl")
    assert (again.code, again.out) == (first.code, first.out)


def test_a_server_needs_a_model(cli: Cli, ward: tuple[Path, Path]) -> None:
    path, map_path = ward
    words = ("ask", "--database", path, "--map", map_path, "--base-url", "http://localhost:1/v1")
    ran = cli(*words, ASKED)
    assert ran.code == 2
    assert "--base-url needs --model" in ran.err
