"""What people say of a served agent's answers becomes tasks that run."""

import json
import stat
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.hospitals import hospital_file
from wardround.assistant.served_record import opened_record
from wardround.core.run_reader import read_trials
from wardround.core.trajectory import Called, Event, Returned, Said

TABLE = '{"columns":["n"],"rows":[[1]],"truncated":false}'
WOMEN = "SELECT COUNT(*) FROM demographics WHERE gender = 'f'"
MEN = "SELECT COUNT(*) FROM demographics WHERE gender = 'm'"
SETTINGS = {"settings": {"agent": "parser"}}


def hospital() -> Path:
    return hospital_file("mimic_iv_star", 80, seed=5, ending="sqlite")


def turn(question: str, *queries: str) -> list[Event]:
    """A question, the agent's queries and its reply."""
    calls: list[Event] = []
    for sql in queries:
        calls += [Called("sql_execute", {"query": sql}), Returned("sql_execute", TABLE)]
    return [Said("user", question), *calls, Said("agent", "Here.")]


def write_record(folder: Path, *, has_values: bool = True) -> Path:
    """Conversations: right, corrected, wrong, unjudged, and right with golds that are none."""
    with opened_record(folder, SETTINGS, has_values=has_values) as record:

        def ask(id: str, *turns: Sequence[Event]) -> None:
            for number, events in enumerate(turns):
                record.add(id, number, "ann", list(events), 1.0)

        ask("right", turn('How many "women"?', "SELECT 1", WOMEN))
        ask("corrected", turn("How many?"), turn("Men.", WOMEN), turn("Not judged.", WOMEN))
        ask("follow", turn("How many women?", WOMEN), turn("And men?", MEN))
        ask("wrong", turn("How many children?", WOMEN))
        ask("unjudged", turn("How many?", WOMEN))
        ask("empty", turn("Who?", "SELECT gender FROM demographics WHERE gender = 'x'"))
        ask("null", turn("What?", "SELECT NULL"))
        ask("long", turn("Which?", "SELECT a.patientid FROM demographics a, demographics b"))
        ask("broken", turn("Where?", "SELECT x FROM nowhere"))
        trials = {trial.key: trial for trial in read_trials(folder / "001")}
        for id in ("right", "empty", "null", "long", "broken"):
            record.judge(trials[id, 0], "ann", "", right=True)
        record.judge(trials["follow", 1], "ann", "", right=True)
        record.judge(trials["wrong", 0], "ann", "It counts women.", right=False)
        record.correct(trials["corrected", 1], "ann", MEN)
    return folder / "001"


def collected(cli: Cli, record: Path, review: Path) -> dict[str, dict[str, object]]:
    ran = cli(
        *("tasks", "sheet", "chatqa", "--served", record),
        *("--database", hospital(), "--review", review),
    )
    assert ran.code == 0, ran.err
    return {line["id"]: line for line in map(json.loads, review.read_text().splitlines())}


def test_judged_conversations_are_candidates(cli: Cli, tmp_path: Path) -> None:
    review = tmp_path / "review.jsonl"
    found = collected(cli, write_record(tmp_path), review)
    assert stat.S_IMODE(review.stat().st_mode) == 0o600
    golds = {
        id: (line["decision"], line["detail"]["gold_sql"])  # type: ignore[index]
        for id, line in found.items()
        if line["decision"] == "open"
    }
    assert golds == {
        "right": ("open", WOMEN),
        "corrected": ("open", MEN),
        "follow": ("open", MEN),
        "wrong": ("open", ""),
    }
    assert found["corrected"]["text"] == (
        'Your goal is to ask "How many?". Say "Men." only when asked.'
    )
    assert found["follow"]["text"] == (
        'Your goal is to ask "How many women?". You want to know "And men?".'
    )
    assert "It counts women." in json.dumps(found["wrong"])
    struck = {id: line["checks"]["gold"] for id, line in found.items() if id not in golds}  # type: ignore[index]
    assert struck.keys() == {"empty", "null", "long", "broken"}
    for id, reason in {"empty": "empty", "null": "NULL", "long": "100", "broken": "fails"}.items():
        assert reason in struck[id]


def test_accepted_tasks_pass_their_own_graders(cli: Cli, tmp_path: Path) -> None:
    record, review, to = write_record(tmp_path), tmp_path / "review.jsonl", tmp_path / "to.jsonl"
    found = collected(cli, record, review)
    accepted = {"right", "corrected", "follow"}
    for id in accepted:
        found[id].update(decision="accept", by="bob")
    review.write_text("".join(json.dumps(line) + "\n" for line in found.values()))
    assert collected(cli, record, review) == found
    wrote = cli(
        "tasks", "revise", "chatqa", "--review", review, "--database", hospital(), "--to", to
    )
    assert wrote.code == 0, wrote.err
    assert stat.S_IMODE(to.stat().st_mode) == 0o600
    assert {json.loads(line)["task_id"] for line in to.read_text().splitlines()} == accepted
    checked = cli(
        *("tasks", "validate", "chatqa", "--tasks", to),
        *("--database", f"mimic_iv_star={hospital()}"),
    )
    assert checked.code == 0, checked.err


@pytest.mark.parametrize("by", ["", "bob"])
def test_a_task_without_a_name_or_a_gold_is_refused(cli: Cli, tmp_path: Path, by: str) -> None:
    review = tmp_path / "review.jsonl"
    found = collected(cli, write_record(tmp_path), review)
    found["wrong"].update(decision="accept", by=by)
    review.write_text(json.dumps(found["wrong"]) + "\n")
    refused = cli(
        *("tasks", "revise", "chatqa", "--review", review),
        *("--database", hospital(), "--to", tmp_path / "to.jsonl"),
    )
    assert refused.code == 2
    assert ("it has no gold_sql" if by else "decided by nobody") in refused.err


def test_a_record_without_words_is_refused(cli: Cli, tmp_path: Path) -> None:
    refused = cli(
        *("tasks", "sheet", "chatqa", "--served", write_record(tmp_path, has_values=False)),
        *("--database", hospital(), "--review", tmp_path / "review.jsonl"),
    )
    assert refused.code == 2
    assert "has no judged answer with its words" in refused.err
