"""Published results: read, aggregated by both rules, written and read again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import TypeAdapter

from wardround.benchmarks.assist.declaration import ScoreOptions
from wardround.benchmarks.assist.results.result_folders import (
    RESULTS,
    load_run,
    published_means,
    write_results,
)
from wardround.benchmarks.assist.results.scores import score as score_published
from wardround.benchmarks.assist.scorer import AssistMeasures
from wardround.core.errors import UserError
from wardround.core.record import Outcome
from wardround.core.work import WorkContext

TYPES = ("Information Lookup", "Data Gathering", "Clinical Reasoning", "Write/Update")


def turn(number: int, score: float | None, **more: Any) -> dict[str, Any]:
    return {
        "test_entry_id": "a",
        "task_idx": number,
        "task_type": TYPES[number],
        "turn_subtype": [None, "NA", "PE", "AE"][number],
        "scenario": "med_safety",
        "difficulty_level": 2,
        "language": "zh",
        "llm_answer": "words",
        "llm_executed_actions": [
            {"action": {"name": "Observation__search", "arguments": {}}},
            {"action": {"name": "prepare_to_answer"}},
        ],
        "gold_actions": [{"action": {"name": "Observation.search"}}],
        "rubric_score": score,
        "rubric_items_passed": None if score is None else round(4 * score),
        "rubric_items_total": 4,
        "paq": 0.5,
        **more,
    }


def written(folder: Path, turns: list[dict[str, Any]]) -> Path:
    (folder / RESULTS).write_bytes(orjson.dumps(turns))
    return folder


def test_turns_without_a_score_are_left_out_by_the_published_rule_and_open_by_ours(
    tmp_path: Path,
) -> None:
    run = load_run(written(tmp_path, [turn(n, s) for n, s in enumerate((1, 1, None, 1))]), 0.6)
    assert published_means(run) == (100.0, 1)
    [record] = run.records
    assert record.outcome is Outcome.UNSCORED
    measures = TypeAdapter(AssistMeasures).validate_python(record.measures)
    bounds = [(float(t.low("paper")), float(t.high("paper"))) for t in measures.turns]
    assert bounds[2] == (0.0, 1.0)
    assert measures.settings.language == "zh"
    assert measures.turns[3].words_only
    assert record.labels["arc"] == "IL-DG-CR-WU"


def test_a_low_turn_fails_its_session(tmp_path: Path) -> None:
    run = load_run(written(tmp_path, [turn(n, s) for n, s in enumerate((1, 0.5, 1, 1))]), 0.6)
    assert run.records[0].outcome is Outcome.FAILED


def test_what_is_written_reads_the_same(tmp_path: Path) -> None:
    first = load_run(written(tmp_path, [turn(n, 0.75) for n in range(4)]), 0.6)
    measures = TypeAdapter(AssistMeasures)
    write_results(
        tmp_path / "again",
        [(r.task, r.labels, measures.validate_python(r.measures)) for r in first.records],
    )
    second = load_run(tmp_path / "again", 0.6)
    assert [_without_words(r.measures) for r in second.records] == [
        _without_words(r.measures) for r in first.records
    ]
    assert published_means(second) == published_means(first)


def test_runs_of_a_model_in_two_languages_are_a_pair_and_are_written_apart(tmp_path: Path) -> None:
    for language, score in (("en", 0.5), ("zh", 1)):
        folder = tmp_path / f"results_{language}_glm-5_20260501_101500"
        folder.mkdir()
        parts = {"language": language, "iirs_turn": 0.25, "iirs_AID": 0.5, "paq_coverage": 0.75}
        parts["llm_executed_actions"] = [{"action": {"name": "Observation.search"}}]
        written(folder, [turn(n, score, **parts) for n in range(4)])
    options = ScoreOptions(folders=tuple(sorted(tmp_path.iterdir())), to=tmp_path / "again")
    tables = score_published(options, WorkContext(None)).summary.tables
    [gap] = tables["languages"].rows
    assert gap[:2] == ("glm-5, en", "glm-5, zh")
    # As published, a turn without preparation keeps its score.
    assert gap[3:5] == (100.0, 50.0)
    row = dict(zip(tables["published"].columns, tables["published"].rows[0], strict=True))
    assert (row["iirs_turn"], row["iirs_aid"], row["paq"], row["paq_coverage"]) == (
        0.25, 0.5, 0.5, 0.75,
    )  # fmt: skip
    means = [
        published_means(load_run(tmp_path / "again" / f"glm-5-{name}", 0.6))[0]
        for name in ("en", "zh")
    ]
    assert means == [50.0, 100.0]


def test_faults_of_a_folder_are_named(tmp_path: Path) -> None:
    turns = [turn(n, 1) for n in range(3)]
    run = load_run(written(tmp_path, [*turns, turn(3, 1, task_type="Chat")]), 0.6)
    assert run.records == ()
    assert [defect.where for defect in run.defects][-1] == "a"
    assert "is none of" in run.defects[0].reason
    with pytest.raises(UserError, match="does not exist"):
        load_run(tmp_path / "gone", 0.6)
    with pytest.raises(UserError, match="holds no turn"):
        load_run(written(tmp_path, []), 0.6)


def _without_words(measures: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The measures of turns; answers themselves are not written."""
    return [{k: v for k, v in turn.items() if k != "answered"} for turn in measures["turns"]]
