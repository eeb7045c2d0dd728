"""Reads items in the published form: a folder each, by scenario, level and number."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError

from wardround.benchmarks.clinsql.checks.compiled_checks import READINGS, load_readings
from wardround.benchmarks.clinsql.checks.model import read_check
from wardround.benchmarks.clinsql.published.result_files import read_csv
from wardround.benchmarks.clinsql.tasks import (
    SPLITS,
    ClinTask,
    CohortGold,
    CohortQuestion,
    Tree,
    leaf_item,
    leaf_items,
)
from wardround.benchmarks.kit.published_files import (
    first_defect,
    first_problem,
    parse_json,
    read_file,
)
from wardround.core.declaration import Options
from wardround.core.errors import UserError
from wardround.core.task import Defect, Suite, Task
from wardround.scoring.rubrics.lint import rubric_problems
from wardround.scoring.rubrics.reader import ReadRubric, read_rubric

# The file that the project adds to an item that it makes.
ADDED = "item.json"
_LEVEL = re.compile(r"(easy|medium|hard)_level_queries")
_RUBRICS: dict[Tree, str] = {"sql": "sql_rubric_tree.json", "results": "results_rubric_tree.json"}
SHIPPED = "the shipped suite"
_CHOICES = {"split", "scenario", "level"}


class ItemAdditions(BaseModel):
    """The parts of `item.json` that count in a run.

    Attributes:
        anchor: the subject_id of the patient whom the question describes.
        checks: the check of a leaf, by verdict item.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    anchor: StrictInt | None = None
    checks: dict[str, Any] = Field(default_factory=dict)


def read_additions(folder: Path) -> ItemAdditions:
    """The additions to an item; none if the file is missing.

    Raises:
        UserError: the file has another form, or a check of no known form.
    """
    path = folder / ADDED
    if not path.exists():
        return ItemAdditions()
    try:
        added = ItemAdditions.model_validate(parse_json(read_file(path), ADDED))
    except ValidationError as error:
        raise UserError(f"{ADDED} is not an item ({first_problem(error)}); fix the file.") from None
    for item, check in added.checks.items():
        read_check(check, f"{ADDED}, {item}")
    return added


@dataclass(frozen=True, slots=True)
class ItemFolder:
    """The folder of an item.

    Attributes:
        path: the folder.
        scenario: its scenario, as published.
        level: easy, medium or hard.
        number: its name; unique within scenario and level only.
        split: test or validation; empty where the path names none.
    """

    path: Path
    scenario: str
    level: str
    number: str
    split: str = ""

    @property
    def id(self) -> str:
        """The item's id: scenario/level/number."""
        return f"{self.scenario}/{self.level}/{self.number}"


def item_folder(path: Path) -> ItemFolder | None:
    """An item's folder by the last parts of its path; None for another folder.

    >>> item_folder(Path("splits/test/Vital_Signs_Monitoring/easy_level_queries/040")).id
    'Vital_Signs_Monitoring/easy/040'
    """
    if len(path.parts) < 3:
        return None
    *before, scenario, level, number = path.parts
    match = _LEVEL.fullmatch(level)
    if match is None:
        return None
    split = before[-1] if before and before[-1] in SPLITS else ""
    return ItemFolder(path, scenario, match[1], number, split)


def item_folders(source: Path) -> Iterator[ItemFolder]:
    """The items below a folder, or the folder itself, in the order of their paths.

    Raises:
        UserError: there is no such folder.
    """
    if not source.is_dir():
        raise UserError(f"The folder {source} does not exist; check the path.")
    levels = sorted(path for path in source.resolve().rglob("*_level_queries") if path.is_dir())
    paths = [path for level in levels for path in sorted(level.iterdir()) if path.is_dir()]
    folders = map(item_folder, paths or [source.resolve()])
    yield from (folder for folder in folders if folder is not None)


def load_items(source: Path) -> Suite:
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


def shipped_items() -> Suite:
    """The items that come with wardround."""
    with as_file(files("wardround.benchmarks.clinsql.suite") / "items") as folder:
        return replace(load_items(folder), source=SHIPPED)


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
