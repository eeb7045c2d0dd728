"""The harms that cohort answers may do."""

from collections.abc import Mapping, Sequence

from wardround.benchmarks.clinsql.scorer import CohortMeasures
from wardround.benchmarks.kit.measures import measured
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored trial: a result that is compared with the gold's misleads if wrong.

    A submission that gives no result misleads nobody.
    """
    return {
        each.record.key: {Harm.CONFIDENTLY_WRONG: each.measures.ex == 0}
        for each in measured(trials, CohortMeasures)
        if each.measures.ex is not None or each.measures.succeeded_at == 0
    }
