"""Compares sets of verdicts by leaf and root, each two raters (Table 13): `wardround agreement`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

from wardround.benchmarks.clinsql.analysis.verdict_sets import (
    Decisions,
    Judged,
    file_raters,
    person_raters,
    program_raters,
    root_decisions,
    run_raters,
)
from wardround.benchmarks.clinsql.declaration import BENCHMARK, AgreementOptions
from wardround.benchmarks.clinsql.published.item_folders import SHIPPED, load_items, shipped_items
from wardround.benchmarks.clinsql.tasks import TREES, ClinTask
from wardround.benchmarks.kit.raters import agreement_cells, check_two, merged, raters_table
from wardround.benchmarks.kit.run_settings import run_settings
from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.core.run_document import SETTINGS
from wardround.core.task import Suite
from wardround.core.work import WorkContext, WorkResult
from wardround.scoring.agreement import Agreement, agreement

_NOTE = (
    "Items that both raters decided, agreement in percent, and Cohen's kappa, which is missing "
    "where both raters give every item the same decision. A root passes if it scores 1 by the "
    "published rule."
)


def compare_verdicts(options: AgreementOptions, context: WorkContext[object]) -> WorkResult:
    """Compares all raters of runs, published folders and a file of persons' verdicts.

    Raises:
        UserError: A source cannot be read, or there are fewer than two raters.
    """
    tasks = _tasks(options)
    raters = _raters(options, tasks)
    check_two(raters, "name another source")
    table = agreement_table(raters, tasks)
    counts = raters_table(raters, "Leaves", "Passed")
    return WorkResult(Summary({"table_13": table, "raters": counts}))


def agreement_table(
    raters: Mapping[str, Mapping[Judged, bool]], tasks: Mapping[str, ClinTask]
) -> Table:
    """Agreement of each two raters on leaves and roots of both trees."""
    roots = {name: root_decisions(decisions, tasks) for name, decisions in raters.items()}
    rows = []
    for first, second in combinations(raters, 2):
        of_leaves = (_of_tree(raters[first], raters[second], tree) for tree in TREES)
        of_roots = (_of_tree(roots[first], roots[second], tree) for tree in TREES)
        found = [*of_leaves, *of_roots]
        if any(each.items for each in found):
            rows.append(
                (first, second, *(cell for each in found for cell in agreement_cells(each)))
            )
    parts = ("Leaf SQL", "Leaf results", "Pass SQL", "Pass results")
    columns = (column for part in parts for column in (f"{part} items", part, f"{part} kappa"))
    return Table("Agreement (Table 13)", ("Rater", "Rater 2", *columns), tuple(rows), _NOTE)


def _tasks(options: AgreementOptions) -> dict[str, ClinTask]:
    suite = load_items(options.tasks) if options.tasks else _suite_of_run(options.sources)
    wanted = options.model_dump(include={"split", "scenario", "level"}, exclude_none=True)
    found = {task.id: task for task in suite.tasks if wanted.items() <= task.labels.items()}
    if not found:
        raise UserError(f"{suite.source} has no item of that choice; check the options.")
    return found


def _suite_of_run(sources: Iterable[Path]) -> Suite:
    """The items of the first run.

    Raises:
        UserError: A source does not exist, or none is a run.
    """
    for source in sources:
        if not source.is_dir():
            raise UserError(f"The folder {source} does not exist; check the path.")
        if _is_run(source):
            items = run_settings(source, BENCHMARK.name)["tasks"]["source"]
            return shipped_items() if items == SHIPPED else load_items(Path(items))
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


def _of_tree(first: Mapping[Judged, bool], second: Mapping[Judged, bool], tree: str) -> Agreement:
    of_tree = {judged: v for judged, v in first.items() if judged.item.partition(":")[0] == tree}
    return agreement(of_tree, second)
