"""The shipped suites that are drawn, made again from their seeds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter

from wardround.authoring.chatqa.asked_records import AskedRecords, open_records
from wardround.authoring.chatqa.spellings import Spelling
from wardround.authoring.chatqa.suite import Forms, made_tasks
from wardround.benchmarks.chatqa.benchmark import shipped_databases
from wardround.benchmarks.chatqa.declaration import CURRENT_TIME
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.errors import UserError
from wardround.core.option_types import TIME_FORMAT
from wardround.core.packaged_data import read_toml
from wardround.ehr.database import open_database
from wardround.ehr.records import records_of


@dataclass(frozen=True, slots=True)
class DrawnSuite:
    """The seed and sizes of a suite, the same for each of the shipped hospitals.

    Attributes:
        seed: the seed.
        incre: the number of IncreQA tasks.
        adapt: the number of AdaptQA tasks.
        depth: the number of conditions of an IncreQA task.
        spellings: the spellings of values beside the words of the terms.
        forms: the forms of tasks that are drawn.
    """

    seed: int
    incre: int
    adapt: int
    depth: int
    spellings: tuple[Spelling, ...]
    forms: Forms


def drawn_suite(name: str) -> DrawnSuite:
    """Reads the seed and sizes of a suite.

    Raises:
        UserError: there is no such suite.
    """
    suites = read_toml(__package__, "suites.toml")
    if name not in suites:
        raise UserError(f"There is no drawn suite {name!r}; there are {', '.join(suites)}.")
    return TypeAdapter(DrawnSuite).validate_python(suites[name])


def make_drawn_suite(name: str, progress: Callable[[int], None] = lambda made: None) -> bytes:
    """Makes a suite about each of the shipped hospitals, as JSON Lines.

    Raises:
        UserError: there is no such suite, or the hospitals do not serve all of its tasks.
    """
    suite = drawn_suite(name)
    counts, tasks = (suite.incre, suite.adapt), []
    for database in shipped_databases():
        with shipped_records(database, suite.spellings) as records:
            made, _ = made_tasks(
                records, database, counts, suite.depth, suite.seed, progress, suite.forms
            )
        if len(made) < sum(counts):
            raise UserError(f"{database} serves {len(made)} of {sum(counts)} tasks; change {name}.")
        tasks += [each.task for each in made]
    return json_lines(task.model_dump(exclude_defaults=True) for task in tasks)


@contextmanager
def shipped_records(name: str, spellings: tuple[Spelling, ...]) -> Iterator[AskedRecords]:
    """Opens the records of a shipped hospital."""
    database = open_database(shipped_databases()[name])
    try:
        now = datetime.strptime(CURRENT_TIME, TIME_FORMAT)
        yield open_records(database, records_of(database), now, spellings)
    finally:
        database.close()
