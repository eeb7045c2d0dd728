"""Compares sets of verdicts by leaf and root, each two raters (Table 13): `wardround agreement`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict

from wardround.benchmarks.clinsql.declaration import BENCHMARK, AgreementOptions
from wardround.benchmarks.clinsql.items.item import TREES, ClinTask, Tree, leaf_item
from wardround.benchmarks.clinsql.results.runs import read_submissions
from wardround.benchmarks.clinsql.results.trials import PublishedResults
from wardround.benchmarks.clinsql.results.verdict_files import read_samples
from wardround.benchmarks.clinsql.tasks import chosen_items, load_tasks, shipped_tasks
from wardround.benchmarks.kit import raters as kit
from wardround.benchmarks.kit.compared_runs import file_name, run_settings, system
from wardround.benchmarks.kit.published_files import read_lines
from wardround.benchmarks.kit.raters import (
    Raters,
    add_decision,
    agreement_cells,
    check_two,
    merged,
    pair_agreements,
    raters_table,
)
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.record import VerdictRecord
from wardround.core.run_document import SETTINGS
from wardround.core.task import Suite
from wardround.core.work import WorkContext, WorkResult
from wardround.scoring.rubrics.bounds import score_bounds

_NOTE = f"{kit.AGREEMENT_NOTE} A root passes if it scores 1 by the published rule."


class Judged(NamedTuple):
    """A leaf or root of a model's submission, which a rater decides."""

    model: str
    task: str
    item: str


Decisions: TypeAlias = Raters[Judged]
# The items of leaves are TREE:LEAF, and those of roots TREE.
_PARTS: dict[str, Callable[[Judged], bool]] = {
    "Leaf SQL": lambda judged: judged.item.startswith("sql:"),
    "Leaf results": lambda judged: judged.item.startswith("results:"),
    "Pass SQL": lambda judged: judged.item == "sql",
    "Pass results": lambda judged: judged.item == "results",
}


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
        UserError: the folder is not a run of this benchmark.
    """
    model = run_model(folder)

    def judged(line: VerdictRecord) -> Judged | None:
        counts = line.trial == 0 and line.verdict.item.partition(":")[0] in TREES
        return Judged(model, line.task, line.verdict.item) if counts else None

    return kit.run_raters(folder, judged)[0]


def run_model(folder: Path) -> str:
    """The name of a run's model, as `score --to` writes it."""
    return file_name(system(run_settings(folder, BENCHMARK.name)))


def file_raters(folder: Path, name: str, tasks: Mapping[str, ClinTask]) -> Decisions:
    """The published verdicts of a folder, as one rater's.

    Raises:
        UserError: there is no such folder.
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
        UserError: a line is not a verdict, or several models are compared and it names none.
    """
    raters, known = Decisions(), sorted(set(models))
    for line in read_lines(path, PersonVerdict):
        if not line.model and len(known) != 1:
            raise UserError(f"{path} names no model; add one of {', '.join(known)} to each line.")
        judged = Judged(line.model or known[0], line.task, line.item)
        raters.setdefault(f"person:{line.person}", {})[judged] = line.passed
    return raters


def root_decisions(
    decisions: Mapping[Judged, bool], tasks: Mapping[str, ClinTask]
) -> dict[Judged, bool]:
    """True for each root that is 1 by the published rule, where the decided leaves tell."""
    by_judged: dict[Judged, bool] = {}
    for model, id in dict.fromkeys((judged.model, judged.task) for judged in decisions):
        for tree, passed in _roots(model, tasks[id], decisions) if id in tasks else ():
            by_judged[Judged(model, id, tree)] = passed
    return by_judged


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


def compare_verdicts(options: AgreementOptions, context: WorkContext[object]) -> WorkResult:
    """Compares all raters of runs, published folders and a file of persons' verdicts.

    Raises:
        UserError: a source cannot be read, or there are fewer than two raters.
    """
    tasks = _tasks(options)
    raters = _raters(options, tasks)
    check_two(raters, "name another source")
    table = agreement_table(raters, tasks)
    counts = raters_table(raters, "Leaves", "Passed")
    return WorkResult(Summary({"table_13": table, "raters": counts}))


def agreement_table(raters: Decisions, tasks: Mapping[str, ClinTask]) -> Table:
    """Agreement of each two raters on leaves and roots of both trees."""
    decided = {
        name: decisions | root_decisions(decisions, tasks) for name, decisions in raters.items()
    }
    rows = tuple(
        (first, second, *(cell for each in measured.values() for cell in agreement_cells(each)))
        for first, second, measured in pair_agreements(decided, _PARTS)
    )
    columns = (column for part in _PARTS for column in (f"{part} items", part, f"{part} kappa"))
    return Table("Agreement (Table 13)", ("Rater", "Rater 2", *columns), rows, _NOTE)


def _tasks(options: AgreementOptions) -> dict[str, ClinTask]:
    suite = load_tasks(options.tasks) if options.tasks else _suite_of_run(options.sources)
    return chosen_items(suite, options)


def _suite_of_run(sources: Iterable[Path]) -> Suite:
    """The items of the first run.

    Raises:
        UserError: a source does not exist, or there is no run among them.
    """
    for source in sources:
        if not source.is_dir():
            raise UserError(f"The folder {source} does not exist; check the path.")
        if _is_run(source):
            return kit.run_suite(source, BENCHMARK.name, load_tasks, shipped_tasks)
    raise UserError("No source is a run; name the folder of items with --tasks.")


def _raters(options: AgreementOptions, tasks: Mapping[str, ClinTask]) -> Decisions:
    raters = merged(_sources(options.sources, tasks))
    if options.human:
        models = {judged.model for decisions in raters.values() for judged in decisions}
        raters = merged([raters, person_raters(options.human, models)])
    chosen = {
        name: {judged: passed for judged, passed in decisions.items() if judged.task in tasks}
        for name, decisions in raters.items()
    }
    return {name: decisions for name, decisions in chosen.items() if decisions}


def _sources(sources: Sequence[Path], tasks: Mapping[str, ClinTask]) -> Iterator[Decisions]:
    """The decisions of each run, and of the files and programs of each published folder."""
    folders = [source for source in sources if not _is_run(source)]
    for source in sources:
        if _is_run(source):
            yield run_raters(source)
        else:
            name = "published" if len(folders) == 1 else f"published in {source}"
            yield file_raters(source, name, tasks)
            yield program_raters(source, tasks)


def _is_run(source: Path) -> bool:
    return (source / SETTINGS).is_file()
