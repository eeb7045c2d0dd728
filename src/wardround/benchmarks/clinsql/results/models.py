"""Published models as trials: their submissions and verdict files, scored as a run's trials."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from wardround.benchmarks.clinsql.checks.leaf_verdicts import QUERY
from wardround.benchmarks.clinsql.checks.program_verdicts import NO_ROW
from wardround.benchmarks.clinsql.declaration import PAPER, PAPER_17
from wardround.benchmarks.clinsql.items.item import ClinTask, Tree
from wardround.benchmarks.clinsql.items.result_files import PLACEHOLDER
from wardround.benchmarks.clinsql.results.runs import (
    NO_QUERY,
    PublishedAttempt,
    Submission,
    read_submissions,
)
from wardround.benchmarks.clinsql.results.verdict_files import Sample, file_source, read_samples
from wardround.benchmarks.clinsql.scorer import score
from wardround.benchmarks.kit.published_files import first_defect
from wardround.benchmarks.kit.published_results import published_trial
from wardround.core.errors import UserError
from wardround.core.record import Outcome, TrialRecord
from wardround.core.task import Defect
from wardround.core.trial import Attempt, FinishedTrial, count_turns, score_trial
from wardround.core.verdict import Verdict, state_of

ENDING = "published"


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model's published submissions and grades, by item.

    Attributes:
        name: the name of its folder.
        submissions: its submissions.
        samples: its grades.
    """

    name: str
    submissions: Mapping[str, Submission] = field(default_factory=dict)
    samples: Mapping[str, Sample] = field(default_factory=dict)

    @property
    def items(self) -> list[str]:
        """The items that it has a submission or grades for, sorted."""
        return sorted({*self.submissions, *self.samples})

    @property
    def graded_items(self) -> list[str]:
        """The items that published means are of: those with grades, or all if none has any."""
        return sorted(self.samples) or self.items

    def published_scores(self, item: str) -> dict[Tree, float]:
        """The published scores of the trees of which no leaf's grade is published."""
        sample = self.samples.get(item)
        if sample is None:
            return {}
        return {tree: score for tree, score in sample.scores.items() if tree not in sample.grades}

    def submission(self, item: str) -> Submission:
        """Its submission; a stand-in without query if only its grades are at hand."""
        if item in self.submissions:
            return self.submissions[item]
        ran = (PublishedAttempt(True, rows=1),)
        return Submission(item, self.samples[item].split, NO_QUERY, PLACEHOLDER, ran)

    def verdicts(self, task: ClinTask) -> list[Verdict]:
        """The published verdicts, and whether the last query gave rows, if that is published."""
        sample, submission = self.samples.get(task.id), self.submissions.get(task.id)
        of_sample = sample.verdicts(task, self.name) if sample else []
        if submission is not None:
            gave = submission.gave_rows
            reason = "" if gave else NO_ROW
            ran = Verdict(QUERY, file_source(self.name), state_of(gave), reason=reason)
            of_sample = [ran, *of_sample]
        return of_sample


@dataclass(frozen=True, slots=True)
class PublishedModels:
    """The models of some folders, with the folders, files and samples that cannot be read."""

    models: tuple[PublishedModel, ...]
    defects: tuple[Defect, ...]


def read_models(sources: Iterable[Path]) -> PublishedModels:
    """Reads all submissions and verdict files below some folders.

    Raises:
        UserError: a folder does not exist, or there is nothing in any.
    """
    submissions: dict[str, dict[str, Submission]] = {}
    samples: dict[str, dict[str, Sample]] = {}
    defects: list[Defect] = []
    for source in sources:
        submitted, graded = read_submissions(source), read_samples(source)
        for name, items in submitted.by_model.items():
            submissions.setdefault(name, {}).update(items)
        for name, grades in graded.by_model.items():
            samples.setdefault(name, {}).update(grades)
        defects += [*submitted.defects, *graded.defects]
    names = sorted({*submissions, *samples})
    if not names:
        raise UserError(
            "No published submission or verdict file is in the folders"
            f"{first_defect(defects)}; name a folder of MODEL/SPLIT/SCENARIO/LEVEL/NUMBER, "
            "or of MODEL/SPLIT/detailed_grading.json."
        )
    models = [PublishedModel(n, submissions.get(n, {}), samples.get(n, {})) for n in names]
    return PublishedModels(tuple(models), tuple(defects))


def _with_published(measures: Mapping[str, Any], published: Mapping[Tree, float]) -> dict[str, Any]:
    """Measures with published scores in the gradings of the paper."""
    completed = dict(measures)
    for tree, value in published.items():
        as_published = {name: {"low": value, "high": value} for name in (PAPER, PAPER_17)}
        completed[tree] = {**completed[tree], **as_published} if tree in completed else as_published
    return completed


def trial_record(
    task: ClinTask,
    submission: Submission,
    verdicts: Sequence[Verdict],
    grading: str = "",
    *,
    at_hand: bool = True,
    published: Mapping[Tree, float] = MappingProxyType({}),
) -> TrialRecord:
    """A submission as the record of a trial, scored by verdicts.

    Args:
        task: the item.
        submission: the submission.
        verdicts: verdicts on it.
        grading: the grading that decides what passes.
        at_hand: whether the submission is at hand, so that its attempts are known.
        published: published scores, which stand in the gradings of the paper as they are.
    """
    trajectory = submission.trajectory()
    attempt = Attempt(trajectory, ending=ENDING)
    trial = score_trial(score, FinishedTrial(task, 0, 0, (attempt,), 0.0), verdicts, grading)
    last = trial.last
    measures = _with_published(last.measures or {}, published)
    return published_trial(
        task.id,
        last.outcome or Outcome.UNSCORED,
        last.rewards or {},
        {"split": submission.split, **task.labels},
        {**count_turns(trajectory), "attempts": 1},
        measures if at_hand else {**measures, "succeeded_at": None},
        ending=ENDING,
        reason=last.reason,
    )
