"""How an answer is compared with the gold: EHRSQL 1.5's way, EHRSQL 2024's, and strictly."""

from collections.abc import Callable
from dataclasses import dataclass

from wardround.benchmarks.ehrsql.placeholders import runnable
from wardround.benchmarks.ehrsql.whole_results import same_first_rows, same_sorted_rows, same_whole
from wardround.core.errors import UserError
from wardround.scoring.results import Rows


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of grading.

    Attributes:
        name: what it is called.
        written: makes what is run of a query and the current time, gold and answer alike.
        same: whether the answer's rows are the gold's.
    """

    name: str
    written: Callable[[str, str], str]
    same: Callable[[Rows, Rows], bool]


def _lower(sql: str, now: str) -> str:
    return runnable(sql.lower(), now)


MODES = {
    mode.name: mode
    for mode in (
        Mode("ehrsql-1.5", _lower, same_first_rows),
        Mode("ehrsql-2024", runnable, same_sorted_rows),
        Mode("strict", runnable, same_whole),
    )
}


def find_mode(name: str) -> Mode:
    """The mode of that name.

    Raises:
        UserError: there is none.
    """
    if name not in MODES:
        raise UserError(f"{name!r} is no way of grading; --grading takes {', '.join(MODES)}.")
    return MODES[name]
