"""Reads published verdict files: a model's scores, and the judge's decisions on each node."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from wardround.benchmarks.clinsql.checks.leaf_verdicts import UNREADABLE_ONE
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, Tree, leaf_item
from wardround.benchmarks.clinsql.items.item_folders import item_folder
from wardround.benchmarks.kit.published_files import read_json
from wardround.core.errors import UserError
from wardround.core.task import Defect
from wardround.core.verdict import Verdict, state_of, verdict_key
from wardround.scoring.rubrics.folds import fold

DETAILS, SCORES = "detailed_grading.json", "scoring_results.json"
# The explanation of a leaf whose judge's call failed; the published code found a 1 in such texts.
_FAILED_CALL = re.compile(
    r"^\W*(error|exception)\b|rate.?limit|context.?length|maximum context", re.IGNORECASE
)
TOLERANCE = 1e-6  # published scores have six decimals


@dataclass(frozen=True, slots=True)
class NodeGrade:
    """The published score of a node, from 0 to 1, and the judge's explanation."""

    score: float
    explanation: str = ""


@dataclass(frozen=True, slots=True)
class Sample:
    """The published grades of a submission.

    Attributes:
        item: the item's id.
        split: test or validation.
        scores: the roots' published scores, where they are numbers.
        grades: the grade of each node by id: of leaves only, or of all nodes.
    """

    item: str
    split: str
    scores: Mapping[Tree, float]
    grades: Mapping[Tree, Mapping[str, NodeGrade]] = field(default_factory=dict)

    def verdicts(self, task: ClinTask, model: str) -> list[Verdict]:
        """A verdict on each leaf that has a grade; inner nodes are folded again."""
        return [
            _verdict(tree, leaf.id, grade, model)
            for tree in TREES
            for leaf in task.hidden.rubric(tree).leaves()
            if (grade := self.grades.get(tree, {}).get(leaf.id))
        ]

    def differences(self, task: ClinTask) -> Iterator[str]:
        """The nodes whose published score differs from the fold of the published leaves."""
        for tree in TREES:
            root, grades = task.hidden.rubric(tree), self.grades.get(tree, {})
            if not grades:
                continue
            folded = fold(root, {id: grade.score for id, grade in grades.items()}, "published")
            published = {id: grade.score for id, grade in grades.items() if id in folded}
            if tree in self.scores:
                published[root.id] = self.scores[tree]
            for id, score in published.items():
                if abs(folded[id] - score) > TOLERANCE:
                    where = "" if id == root.id else f", node {id}"
                    yield f"{tree}{where}: published {score:.6g}, folded {folded[id]:.6g}"
            for id in grades.keys() - folded.keys():
                yield f"{tree}: node {id} is not in the rubric"


@dataclass(frozen=True, slots=True)
class ReadSamples:
    """Published grades by model and item, with the files and samples that cannot be read."""

    by_model: Mapping[str, Mapping[str, Sample]]
    defects: tuple[Defect, ...]


def read_samples(source: Path) -> ReadSamples:
    """Reads all verdict files below a folder; details come before mere scores."""
    models: dict[str, dict[str, Sample]] = {}
    defects: list[Defect] = []
    for folder in sorted(
        {path.parent for name in (SCORES, DETAILS) for path in _files(source, name)}
    ):
        details = folder / DETAILS
        path = details if details.is_file() else folder / SCORES
        try:
            model, samples = _read(path, "detailed_evaluations" if path == details else "samples")
        except UserError as error:
            defects.append(Defect(path.name, str(error)))
            continue
        for sample in samples:
            if isinstance(sample, Defect):
                defects.append(sample)
            elif sample.item in models.setdefault(model, {}):
                defects.append(
                    Defect(f"{model}/{sample.item}", "it is graded twice; the first counts")
                )
            else:
                models[model][sample.item] = sample
    return ReadSamples(models, tuple(defects))


def _files(source: Path, name: str) -> Iterator[Path]:
    return source.resolve().rglob(name)


def _read(path: Path, name: str) -> tuple[str, list[Sample | Defect]]:
    content = read_json(path)
    listed = content.get(name) if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise UserError(f"{path} has no list {name}; name a folder of published verdicts.")
    model = path.parent.parent.name
    return model, [
        _sample(each, path.parent.name, f"{model}, sample {n}") for n, each in enumerate(listed, 1)
    ]


def _sample(content: Any, split: str, where: str) -> Sample | Defect:
    if not isinstance(content, dict):
        return Defect(where, "it is no JSON object")
    # The path is of the machine that graded; its last four parts identify the item.
    path = str(content.get("sample_path", "")).replace("\\", "/")
    folder = item_folder(Path(*path.split("/")[-4:])) if path else None
    if folder is None:
        return Defect(where, "its sample_path names no item")
    scores = ((tree, content.get(f"{tree}_score")) for tree in TREES)
    grades = {tree: _grades(content.get(f"{tree}_evaluations")) for tree in TREES}
    return Sample(
        folder.id,
        folder.split or split,
        {tree: float(score) for tree, score in scores if _is_number(score)},
        {tree: grade for tree, grade in grades.items() if grade},
    )


def _grades(content: Any) -> dict[str, NodeGrade]:
    if not isinstance(content, dict):
        return {}
    return {
        str(id): NodeGrade(float(grade["score"]), str(grade.get("explanation") or ""))
        for id, grade in content.items()
        if isinstance(grade, dict) and _is_number(grade.get("score"))
    }


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and 0 <= value <= 1


def _verdict(tree: Tree, leaf: str, grade: NodeGrade, model: str) -> Verdict:
    source = file_source(model)
    key = verdict_key(source, tree, leaf, grade.score)
    if grade.score >= 1 and _FAILED_CALL.search(grade.explanation):
        reason = f"{UNREADABLE_ONE}: {grade.explanation}"
        return Verdict(leaf_item(tree, leaf), source, "undecided", reason=reason, key=key)
    state = state_of(grade.score >= 1)
    return Verdict(leaf_item(tree, leaf), source, state, reason=grade.explanation, key=key)


def file_source(name: str) -> str:
    """The source of verdicts that were read from files.

    >>> file_source("gpt-5")
    'file:gpt-5'
    """
    return f"file:{name}"
