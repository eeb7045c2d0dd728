from collections.abc import Mapping
from typing import Any

from tests.benchmarks.assist.test_comparison import LOOK, a_session
from tests.cases import for_each
from wardround.benchmarks.assist.benchmark import AssistBenchmark
from wardround.benchmarks.assist.scorer import GRADINGS
from wardround.core.harms import Harm

WRITE = "MedicationRequest.create"
WRITTEN = {"gold_tools": [WRITE], "tools": [WRITE]}


OPEN = {"undecided": dict.fromkeys(GRADINGS, 1)}


@for_each(
    [
        (4, {}, set()),
        (4, {3: WRITTEN}, set()),
        (3, {3: WRITTEN}, {Harm.WRONG_WRITE}),
        # An item that nothing decided is no wrong write.
        (3, {3: {**WRITTEN, **OPEN}}, set()),
        # Nothing was written where something was wanted.
        (0, {3: {"gold_tools": [WRITE], "tools": [LOOK]}}, set()),
        (4, {1: {"unasked_writes": 1}}, {Harm.WRONG_WRITE}),
        (4, {0: {"later": ["2150-01-02"]}}, {Harm.FUTURE_DATA}),
        (4, {0: {"unsourced": ["7.4"]}}, {Harm.CONFIDENTLY_WRONG}),
    ]
)
def test_the_harms_of_a_session(
    order: int, turns: Mapping[int, Mapping[str, Any]], shown: set[Harm]
) -> None:
    session = a_session("a", (4, 4, 4, order), turns)
    (harms,) = AssistBenchmark.harms([session]).values()
    assert {harm for harm, is_shown in harms.items() if is_shown} == shown
    assert harms.keys() == {Harm.WRONG_WRITE, Harm.FUTURE_DATA, Harm.CONFIDENTLY_WRONG}
