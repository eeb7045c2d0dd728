"""Makes the rows of many people in several processes, in order, whatever the number of them."""

import signal
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context

from wardround.ehr.hospital.columns import Columns, columns_of
from wardround.ehr.hospital.forms.choose import form_of
from wardround.ehr.hospital.forms.form import Form, Numbers, Row, TableRow
from wardround.ehr.hospital.patient_record import chart_of
from wardround.ehr.schema import Table, load_schema

# Large enough that a batch is worth handing over, small enough that some fit into memory.
PEOPLE_OF_A_BATCH = 50


@dataclass(frozen=True)
class Batch:
    """Rows of some people, by table, and how many numbers of each sequence they use."""

    people: int
    tables: dict[str, Columns]
    used: Counter[str]


def lookup_batch(form: Form) -> Batch:
    """The rows of the lookup tables."""
    numbers = Numbers()
    return _batch(form, 0, form.lookups(numbers), numbers)


def people_batches(form: Form, seed: int, patients: int, workers: int) -> Iterator[Batch]:
    """The rows of all people in batches, in order.

    Args:
        form: How people become rows.
        seed: Same seed, same people.
        patients: How many people.
        workers: How many processes make them; with 1 it is this one.
    """
    parts = [
        (form.schema, seed, start, min(start + PEOPLE_OF_A_BATCH, patients))
        for start in range(0, patients, PEOPLE_OF_A_BATCH)
    ]
    if min(workers, len(parts)) == 1:
        yield from (people_batch(*part) for part in parts)
        return
    # A fork of a process with threads may hang; a new interpreter does not.
    # An interrupt of the whole group is this process's to hear.
    with ProcessPoolExecutor(
        workers,
        mp_context=get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    ) as pool:
        waiting: deque[Future[Batch]] = deque()
        try:
            for part in parts:
                waiting.append(pool.submit(people_batch, *part))
                if len(waiting) > 2 * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for batch in waiting:
                batch.cancel()


def people_batch(schema: str, seed: int, start: int, end: int) -> Batch:
    """The rows of the people from one place in the hospital to before another."""
    form, numbers = form_of(schema), Numbers()
    lines = (
        line for index in range(start, end) for line in form.rows(chart_of(seed, index), numbers)
    )
    return _batch(form, end - start, lines, numbers)


@cache
def table_of(schema: str, name: str) -> Table:
    """A table of a schema, read once."""
    return load_schema(schema).table(name)


def _batch(form: Form, people: int, lines: Iterator[TableRow], numbers: Numbers) -> Batch:
    rows: dict[str, list[Row]] = {}
    for table, row in lines:
        rows.setdefault(table, []).append(row)
    tables = {name: columns_of(table_of(form.schema, name), found) for name, found in rows.items()}
    return Batch(people, tables, numbers.used)
