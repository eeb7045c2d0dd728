"""The frozen comparison: differences, declared changes, digests and kills."""

import sys
from pathlib import Path

import pytest

from bench.frozen.cases import Case, Kills
from bench.frozen.comparison import Declared, Renamed, differences
from bench.frozen.digests import case_digests
from bench.frozen.flat_text import json_values, read_flat, word_lines, write_flat
from bench.frozen.kills import record_kills
from bench.frozen.program import Program
from bench.frozen.runs import run_texts, verdict_texts

RUN = """
import json, pathlib, sys, time
run = pathlib.Path(sys.argv[-1])
run.mkdir(parents=True, exist_ok=True)
(run / "run.json").write_text('{"tasks": {}, "databases": {}}')
done = run / "trials.jsonl"
for number in range(len(done.read_text().splitlines()) if done.exists() else 0, 4):
    time.sleep(PAUSE)
    with (run / "trajectories.jsonl").open("a") as file:
        text = json.dumps({"events": []})
        place = {"offset": file.tell(), "length": len(text)}
        file.write(text + chr(10))
    trial = {"task": str(number), "trial": 0, "rejected": [], "trajectory": place}
    with done.open("a") as file:
        file.write(json.dumps(trial) + chr(10))
"""


def program(tmp_path: Path, pause: float) -> Program:
    command = tmp_path / "bin" / "python" / "wardround"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!{sys.executable}\n{RUN.replace('PAUSE', str(pause))}")
    command.chmod(0o755)
    return Program(command, tmp_path, "now")


CASE = Case("kills", "a run that is killed", kills=Kills("run {out}", "resume {out}", count=2))


def test_kills_that_hit_a_run_are_checked(tmp_path: Path) -> None:
    record_kills(program(tmp_path, 0.2), CASE, tmp_path / "to", None)
    results = read_flat(tmp_path / "to" / "kills.json")
    assert results.pop("kills that hit a run") == "all"
    assert set(results.values()) == {"none"}


def test_kills_that_hit_no_run_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.frozen.kills._ends_before", lambda process, *_: not process.wait())
    monkeypatch.setattr("bench.frozen.kills._ends_within", lambda process, *_: not process.wait())
    with pytest.raises(SystemExit, match="no kill hit a run"):
        record_kills(program(tmp_path, 0), CASE, tmp_path / "to", None)


def test_only_declared_values_may_differ(tmp_path: Path) -> None:
    write_flat(tmp_path / "before" / "run.json", {"a | x": "1", "b | x": "1"})
    write_flat(tmp_path / "after" / "run.json", {"a | x": "2", "b | x": "2"})
    renamed = Renamed({}, {}, (Declared("case", "a changes", "slice 1", key="a | *"),))
    undeclared = differences("case", tmp_path / "before", tmp_path / "after", renamed)
    assert [each.key for each in undeclared] == ["b | x"]


def test_digests_include_declared_values(tmp_path: Path) -> None:
    write_flat(tmp_path / "ehrsql-oracle" / "run trials.json", {"t:0 | measures": "1"})
    before = case_digests(tmp_path / "ehrsql-oracle")
    write_flat(tmp_path / "ehrsql-oracle" / "run trials.json", {"t:0 | measures": "2"})
    assert case_digests(tmp_path / "ehrsql-oracle") != before


def test_events_have_the_same_numbers_with_and_without_stages(tmp_path: Path) -> None:
    message = '{"kind": "said", "speaker": "user", "text": "Hello."}'
    graded = '{"kind": "stage_graded", "stage": "first", "verdicts": []}'
    note = '{"kind": "noted", "subject": "submission", "data": {"stage": 1}}'
    texts = []
    for name, marks in (("now", graded), ("before", note)):
        run = tmp_path / name
        run.mkdir()
        (run / "run.json").write_text('{"tasks": {}, "databases": {}}')
        events = f'{{"events": [{marks}, {message}]}}'
        (run / "trajectories.jsonl").write_text(events)
        place = f'{{"offset": 0, "length": {len(events)}}}'
        (run / "trials.jsonl").write_text(
            f'{{"task": "t", "trial": 0, "rejected": [], "trajectory": {place}}}\n'
        )
        texts.append(run_texts(run, {}))
    assert texts[0]["t:0 | event 0000"] == texts[1]["t:0 | event 0000"] == "said user: Hello."
    assert set(texts[0]) - set(texts[1]) == {"t:0 | events of stages 0000"}


def test_benchmark_lists_are_keyed_by_name_and_tables_by_words() -> None:
    assert json_values('[{"benchmark": "b", "served": true}]', {}) == {
        "b | benchmark": "b",
        "b | served": "true",
    }
    table = "Questions\n split   questions \n─────────\n train   176\n"
    assert word_lines(table, {}, "Questions") == {
        "out | 0000": "split questions",
        "out | 0001": "train 176",
    }


def test_verdicts_are_keyed_by_trial_item_and_source() -> None:
    line = (
        '{"task": "t", "trial": 1, "mac": "m", "verdict": {"item": "root", "key": "k",'
        ' "source": "program:query", "state": "passed", "points": 1.0}}\n'
    )
    found = verdict_texts(line, {})
    assert found == {"t:1 | root | program:query": '{"points": 1.0, "state": "passed"}'}


def test_the_start_of_a_run_is_no_part_of_keys() -> None:
    assert json_values('{"a, started 2026-01-02T03:04:05+00:00": 1}', {}) == {
        "a, started {time}": "1"
    }
