"""Sets of verdicts by rater: programs, judges, persons and published files."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict

from wardround.benchmarks.clinsql.declaration import BENCHMARK
from wardround.benchmarks.clinsql.published.checks import PublishedResults
from wardround.benchmarks.clinsql.published.runs import read_submissions
from wardround.benchmarks.clinsql.published.verdict_files import read_samples
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask, Tree, leaf_item
from wardround.benchmarks.kit.published_files import parse_records, read_file, validated
from wardround.benchmarks.kit.raters import Raters, add_decision, rater_of
from wardround.benchmarks.kit.run_names import file_name, system
from wardround.benchmarks.kit.run_settings import run_settings
from wardround.core.errors import UserError
from wardround.core.run_reader import read_verdicts
from wardround.core.task import Defect
from wardround.scoring.rubrics.bounds import score_bounds


class Judged(NamedTuple):
    """A leaf or root of a model's submission, which a rater decides."""

    model: str
    task: str
    item: str


Decisions: TypeAlias = Raters[Judged]


class PersonVerdict(BaseModel):
    """A person's verdict on a leaf, as a line of JSON."""

    model_config = ConfigDict(extra="ignore", protected_namespaces=())

    task: str
    item: str
    passed: bool
    person: str
    model: str = ""


def run_raters(folder: Path) -> Decisions:
    """The raters of a run: a source each, and a source of each other set of verdicts.

    Raises:
        UserError: The folder is not a run of this benchmark.
    """
    model, raters = run_model(folder), Decisions()
    for line in read_verdicts(folder):
        if line.trial == 0 and line.verdict.item.partition(":")[0] in TREES:
            judged = Judged(model, line.task, line.verdict.item)
            add_decision(raters, rater_of(line), judged, line.verdict)
    return raters


def run_model(folder: Path) -> str:
    """The name of a run's model, as `score --to` writes it."""
    return file_name(system(run_settings(folder, BENCHMARK.name)))


def file_raters(folder: Path, name: str, tasks: Mapping[str, ClinTask]) -> Decisions:
    """The published verdicts of a folder as those of one rater.

    Raises:
        UserError: There is no such folder.
    """
    if not folder.is_dir():
        raise UserError(f"The folder {folder} does not exist; check the path.")
    raters = Decisions()
    for model, samples in read_samples(folder).by_model.items():
        for id, sample in samples.items():
            if id in tasks:
                for verdict in sample.verdicts(tasks[id], model):
                    add_decision(raters, name, Judged(model, id, verdict.item), verdict)
    return raters


def program_raters(folder: Path, tasks: Mapping[str, ClinTask]) -> Decisions:
    """Decisions of programs on the published results of a folder."""
    raters, results = Decisions(), PublishedResults()
    for model, submissions in read_submissions(folder).by_model.items():
        for id, submission in submissions.items():
            if id in tasks:
                for verdict in results.verdicts(tasks[id], submission):
                    add_decision(raters, verdict.source, Judged(model, id, verdict.item), verdict)
    return raters


def person_raters(path: Path, models: Iterable[str]) -> Decisions:
    """Persons' verdicts; a line without a model is of the only one.

    Raises:
        UserError: A line is no verdict, or several models are compared and it names none.
    """
    raters, known = Decisions(), sorted(set(models))
    for record in parse_records(read_file(path), str(path)):
        line = record if isinstance(record, Defect) else validated(record, PersonVerdict)
        if isinstance(line, Defect):
            raise UserError(f"{line.where} is no verdict ({line.reason}); fix the file.")
        if not line.model and len(known) != 1:
            raise UserError(f"{path} names no model; add one of {', '.join(known)} to each line.")
        judged = Judged(line.model or known[0], line.task, line.item)
        raters.setdefault(f"person:{line.person}", {})[judged] = line.passed
    return raters


def root_decisions(
    decisions: Mapping[Judged, bool], tasks: Mapping[str, ClinTask]
) -> dict[Judged, bool]:
    """True for each root that is 1 by the published rule, where the decided leaves tell."""
    found: dict[Judged, bool] = {}
    for model, id in dict.fromkeys((judged.model, judged.task) for judged in decisions):
        for tree, passed in _roots(model, tasks[id], decisions) if id in tasks else ():
            found[Judged(model, id, tree)] = passed
    return found


def _roots(
    model: str, task: ClinTask, decisions: Mapping[Judged, bool]
) -> Iterator[tuple[Tree, bool]]:
    for tree in TREES:
        root = task.hidden.rubric(tree)
        leaves = {
            leaf.id: decisions[judged]
            for leaf in root.leaves()
            if (judged := Judged(model, task.id, leaf_item(tree, leaf.id))) in decisions
        }
        bounds = score_bounds(root, leaves, "published")[root.id]
        if bounds.passes or bounds.fails:
            yield tree, bounds.passes
