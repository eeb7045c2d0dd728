"""Writes graded submissions of a model in the published form: files of items, and grades."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import orjson

from wardround.benchmarks.clinsql.checks.leaf_verdicts import UNREADABLE_ONE, chosen
from wardround.benchmarks.clinsql.declaration import PAPER
from wardround.benchmarks.clinsql.items.item import LEVELS, TREES, Tree, leaf_item
from wardround.benchmarks.clinsql.items.result_files import write_csv
from wardround.benchmarks.clinsql.results.runs import SUMMARY
from wardround.benchmarks.clinsql.results.trials import GradedSubmission
from wardround.benchmarks.clinsql.results.verdict_files import DETAILS, SCORES
from wardround.benchmarks.kit.groups import grouped_by
from wardround.core.private_files import make_folder, write_whole
from wardround.core.verdict import Verdict
from wardround.scoring.rubrics.reader import rubric_json

BY_LEVEL, BY_SCENARIO = "difficulty_scoring_results.json", "scenario_scoring_results.json"


def write_model(folder: Path, model: str, graded: Iterable[GradedSubmission]) -> None:
    """Writes a model's submissions below `inference` and its grades below `evaluation`."""
    by_split = grouped_by(graded, lambda each: each.submission.split or "test")
    for split, group in by_split.items():
        for each in filter(lambda each: each.at_hand, group):
            _write_submission(folder / "inference" / model / split, model, each)
        _write_grades(folder / "evaluation" / model / split, model, split, group)


def item_path(folder: Path, each: GradedSubmission) -> Path:
    """The folder of an item below a split's."""
    scenario, level, number = each.task.id.split("/")
    return folder / scenario / f"{level}_level_queries" / number


def _write_submission(folder: Path, model: str, each: GradedSubmission) -> None:
    path = item_path(folder, each)
    make_folder(path)
    task, submission, number = each.task, each.submission, each.task.id.rpartition("/")[2]
    write_whole(path / f"query_{number}.txt", task.public.question.encode())
    write_whole(path / f"sql_{number}.sql", submission.sql.encode())
    write_whole(path / f"result_{number}.csv", write_csv(submission.result).encode())
    for tree in TREES:
        _write(path / f"{tree}_rubric_tree.json", rubric_json(task.hidden.rubric(tree)))
    last = submission.attempts[-1] if submission.attempts else None
    attempts = [
        {
            "attempt": number,
            "success": attempt.succeeded,
            "row_count": attempt.rows,
            "error": attempt.error or None,
            **({"sql": attempt.sql} if attempt.sql else {}),
        }
        for number, attempt in enumerate(submission.attempts, start=1)
    ]
    summary = {
        "query": task.public.question,
        "final_sql": submission.sql,
        "execution_success": bool(last and last.succeeded),
        "row_count": last.rows if last else 0,
        "final_error": (last.error or None) if last else None,
        "model": model,
        "refinement_attempts": attempts,
    }
    _write(path / SUMMARY, summary)


def _write_grades(folder: Path, model: str, split: str, group: Sequence[GradedSubmission]) -> None:
    make_folder(folder)
    samples = [_sample(split, each) for each in group]
    details = [
        {**sample, **{f"{tree}_evaluations": _grades(each, tree) for tree in TREES}}
        for sample, each in zip(samples, group, strict=True)
    ]
    about = {"experiment_model": model, "split": split}
    everything = {"category": "all_categories", "difficulty": "all"}
    levels = _by_level(group)
    summary = {**about, **everything, **_means(group), "difficulty_breakdown": levels}
    scenarios = grouped_by(group, lambda each: each.task.labels.get("scenario", ""))
    by_scenario = [
        {"category": name, **_means(part), "difficulty_breakdown": _by_level(part)}
        for name, part in sorted(scenarios.items())
    ]
    _write(folder / SCORES, {"summary": summary, "samples": samples})
    _write(folder / DETAILS, {"summary": summary, "detailed_evaluations": details})
    _write(folder / BY_LEVEL, {"summary": {**about, **_means(group)}, "difficulties": levels})
    _write(folder / BY_SCENARIO, {**about, "scenarios": by_scenario})


def _sample(split: str, each: GradedSubmission) -> dict[str, Any]:
    path = item_path(Path(split), each).as_posix()
    return {"sample_path": path, **{f"{t}_score": round(s, 6) for t, s in _scores(each).items()}}


def _scores(each: GradedSubmission) -> Mapping[Tree, float]:
    """The scores of both roots in `paper`; undecided leaves count as failed."""
    low: dict[Tree, float] = {tree: each.record.measures[tree][PAPER]["low"] for tree in TREES}
    return low


def _grades(each: GradedSubmission, tree: Tree) -> dict[str, dict[str, Any]]:
    best = chosen(each.verdicts, PAPER)
    return {
        leaf.id: {
            "score": 1.0 if verdict.passed or _is_unreadable_one(verdict) else 0.0,
            "explanation": verdict.reason.removeprefix(f"{UNREADABLE_ONE}: "),
            "critical": leaf.critical,
            "weight": leaf.weight,
        }
        for leaf in each.task.hidden.rubric(tree).leaves()
        if (verdict := best.get(leaf_item(tree, leaf.id)))
        and (verdict.state != "undecided" or _is_unreadable_one(verdict))
    }


def _is_unreadable_one(verdict: Verdict) -> bool:
    return verdict.reason.startswith(UNREADABLE_ONE)


def _by_level(group: Sequence[GradedSubmission]) -> dict[str, dict[str, Any]]:
    levels = {name: [e for e in group if e.task.labels.get("level") == name] for name in LEVELS}
    return {name: _means(part) for name, part in levels.items() if part}


def _means(group: Sequence[GradedSubmission]) -> dict[str, Any]:
    scores = [_scores(each) for each in group]
    return {
        "total_samples": len(group),
        "average_sql_score": round(fmean(score["sql"] for score in scores), 6),
        "average_results_score": round(fmean(score["results"] for score in scores), 6),
    }


def _write(path: Path, content: Any) -> None:
    write_whole(path, orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
