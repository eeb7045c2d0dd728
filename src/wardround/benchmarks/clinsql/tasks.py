"""ClinSQL's tasks: items as published, read from their folders."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path

from wardround.benchmarks.clinsql.items.compiled_checks import READINGS, load_readings
from wardround.benchmarks.clinsql.items.item import (
    ClinTask,
    CohortGold,
    CohortQuestion,
    Tree,
    leaf_item,
    leaf_items,
)
from wardround.benchmarks.clinsql.items.item_folders import (
    ItemFolder,
    item_folders,
    read_additions,
)
from wardround.benchmarks.clinsql.items.result_files import read_csv
from wardround.benchmarks.kit.published_files import first_defect, parse_json, read_file
from wardround.core.conversation import RubricPart
from wardround.core.declaration import Options
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task
from wardround.scoring.rubrics.lint import rubric_problems
from wardround.scoring.rubrics.reader import ReadRubric, read_rubric
from wardround.scoring.rubrics.tree import RubricNode

SHIPPED = "the shipped suite"
_RUBRICS: dict[Tree, str] = {"sql": "sql_rubric_tree.json", "results": "results_rubric_tree.json"}
_CHOICES = {"split", "scenario", "level"}


def load_tasks(source: Path) -> Suite:
    """Reads all items below a folder.

    An item whose files cannot be read is a defect; a fault of a rubric is known and does not stop
    its item.

    Raises:
        UserError: there is no such folder, or it holds no readable item.
    """
    tasks: dict[str, ClinTask] = {}
    defects: list[Defect] = []
    known: list[Defect] = []
    for folder in item_folders(source):
        try:
            task, faults = read_item(folder)
        except UserError as error:
            defects.append(Defect(folder.id, f"its files cannot be read: {error}"))
            continue
        if task.id in tasks:
            defects.append(Defect(task.id, f"the id stands twice: {folder.path}"))
            continue
        tasks[task.id] = task
        known += faults
    if not tasks:
        raise UserError(
            f"{source} holds no readable item{first_defect(defects)}; name a published folder."
        )
    return Suite(tuple(tasks.values()), tuple(defects), str(source), tuple(known))


def chosen_items(suite: Suite, choice: Options) -> dict[str, ClinTask]:
    """The items of the split, scenario and level that options name, by id.

    Raises:
        UserError: there is none.
    """
    wanted = choice.model_dump(include=_CHOICES, exclude_none=True)
    chosen = {task.id: task for task in suite.tasks if wanted.items() <= task.labels.items()}
    if not chosen:
        named = ", ".join(f"{name} {value}" for name, value in wanted.items())
        raise UserError(f"{suite.source} has no item of {named}; check the options.")
    return chosen


def shipped_tasks() -> Suite:
    """The items that come with wardround."""
    with as_file(files("wardround.benchmarks.clinsql.suite") / "items") as folder:
        return replace(load_tasks(folder), source=SHIPPED)


def read_item(folder: ItemFolder) -> tuple[ClinTask, list[Defect]]:
    """An item, and the known faults of its rubrics.

    Raises:
        UserError: a file is missing or cannot be read.
    """
    rubrics = {tree: _rubric(folder, name) for tree, name in _RUBRICS.items()}
    added = read_additions(folder.path)
    sentences = _sentences(rubrics)
    readings = load_readings(folder.path)
    current = {i: r for i, r in readings.items() if sentences.get(i) == r.requirement}
    gold = CohortGold(
        sql=_text(folder, f"sql_{folder.number}.sql"),
        result=read_csv(_text(folder, name := f"result_{folder.number}.csv"), name),
        sql_rubric=rubrics["sql"].root,
        results_rubric=rubrics["results"].root,
        checks=added.checks,
        readings=current,
        anchor=added.anchor,
    )
    labels = {"scenario": folder.scenario, "level": folder.level, "split": folder.split}
    question = CohortQuestion(_text(folder, f"query_{folder.number}.txt"))
    task = Task(folder.id, question, gold, {k: v for k, v in labels.items() if v})
    faults = [d for tree, rubric in rubrics.items() for d in _faults(folder, tree, rubric)]
    faults += _unused_readings(folder, readings.keys() - current.keys(), sentences)
    return task, [*faults, *_stray_checks(task)]


def _unused_readings(
    folder: ItemFolder, items: Iterable[str], sentences: Mapping[str, str]
) -> Iterator[Defect]:
    """The stored checks that no leaf has, or whose leaf has another sentence now."""
    stale = f"{READINGS} holds a check of another sentence, which is not used; compile it again"
    stray = f"{READINGS} holds a check of a leaf that the rubrics lack; name a leaf, or delete it"
    for item in sorted(items):
        yield Defect(folder.id, f"{stale if item in sentences else stray}: {item}")


def _sentences(rubrics: Mapping[Tree, ReadRubric]) -> dict[str, str]:
    """The sentences of all leaves by verdict item."""
    return {
        leaf_item(tree, leaf.id): leaf.requirement
        for tree, rubric in rubrics.items()
        for leaf in rubric.root.leaves()
    }


def _stray_checks(task: ClinTask) -> Iterator[Defect]:
    for item in task.hidden.checks.keys() - set(leaf_items(task.hidden)):
        yield Defect(task.id, f"a check without effect: the rubrics have no leaf {item}")


def _faults(folder: ItemFolder, tree: Tree, rubric: ReadRubric) -> Iterator[Defect]:
    for problem in (*rubric.problems, *rubric_problems(rubric.root)):
        yield Defect(folder.id, f"{problem.fault}: node {problem.node} of the {tree} rubric")


def _rubric(folder: ItemFolder, name: str) -> ReadRubric:
    return read_rubric(parse_json(read_file(folder.path / name), name))


def _text(folder: ItemFolder, name: str) -> str:
    try:
        return read_file(folder.path / name).decode("utf-8-sig").strip()
    except UnicodeDecodeError:
        raise UserError(f"{name} is not UTF-8 text; save it as UTF-8.") from None


def rubric_parts(gold: CohortGold) -> tuple[RubricPart, ...]:
    """Both rubrics for readers, each under its name."""
    names: dict[Tree, str] = {"sql": "SQL rubric", "results": "Results rubric"}
    return tuple(
        RubricPart(name, parts=tuple(_part(tree, child) for child in gold.rubric(tree).children))
        for tree, name in names.items()
    )


def _part(tree: Tree, node: RubricNode) -> RubricPart:
    remarks = (
        f"weight {node.weight}" if node.weight != 1 else "",
        "critical" if node.critical else "",
        "in order" if node.sequential else "",
    )
    return RubricPart(
        node.requirement or node.id,
        leaf_item(tree, node.id) if node.is_leaf else "",
        ", ".join(filter(None, remarks)),
        tuple(_part(tree, child) for child in node.children),
    )
