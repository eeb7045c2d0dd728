"""The cost of a run's queries on an engine that charges for reading, by dry runs of the golds."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from wardround.benchmarks.clinsql.tasks import ClinTask
from wardround.ehr.database import Database, QueryError, ScanCost

_AT_ONCE = 8  # dry runs
_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def cost_sentence(database: Database, tasks: Sequence[ClinTask]) -> str:
    """A sentence about the cost of trials at these tasks; "" if reading is free.

    A trial is taken to run a query as costly as its gold; a task may come several times.
    """
    golds = {task.id: task for task in tasks}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        answers = pool.map(lambda task: _gold_cost(database, task), golds.values())
        costs = dict(zip(golds, answers, strict=True))
    known = [cost for task in tasks if isinstance(cost := costs[task.id], ScanCost)]
    refused = {id: str(cost) for id, cost in costs.items() if isinstance(cost, QueryError)}
    return "; ".join(_parts(known, len(tasks), refused))


def size_text(size: int) -> str:
    """A number of bytes in its largest unit.

    >>> size_text(1_234_567_890)
    '1.2 GB'
    >>> size_text(12)
    '12 bytes'
    """
    number, power = float(size), 0
    while number >= 1000 and power < len(_UNITS) - 1:
        number, power = number / 1000, power + 1
    return f"{number:.1f} {_UNITS[power]}" if power else f"{size} bytes"


def _gold_cost(database: Database, task: ClinTask) -> ScanCost | QueryError | None:
    anchor = task.hidden.anchor
    shown = database if anchor is None else database.hiding(anchor)
    try:
        return shown.cost(task.hidden.sql)
    except QueryError as error:
        return error


def _parts(known: Sequence[ScanCost], trials: int, refused: Mapping[str, str]) -> Iterator[str]:
    if known:
        size, dollars = sum(cost.size for cost in known), sum(cost.dollars for cost in known)
        yield (
            f"Queries like the golds of {len(known)} of {trials} trials would scan "
            f"{size_text(size)} by dry runs, ${dollars:.2f} at list price; mended queries, golds "
            "and cohorts come on top"
        )
    if refused:
        first, reason = next(iter(refused.items()))
        yield f"{len(refused)} golds are refused, the first of {first}: {reason}"
