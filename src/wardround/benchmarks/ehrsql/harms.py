"""The harms that answers to questions may do."""

from collections.abc import Mapping, Sequence

from wardround.benchmarks.ehrsql.scorer import ANSWERABLE, AnswerMeasures
from wardround.benchmarks.kit.measures import Measured, measured
from wardround.core.harms import Harm
from wardround.core.record import TrialRecord

_STRICT = "strict"


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored trial; a query that gives no result misleads nobody."""
    return {each.record.key: _harms(each) for each in measured(trials, AnswerMeasures)}


def _harms(trial: Measured[AnswerMeasures]) -> Mapping[Harm, bool]:
    gives_result = trial.measures.answered and not trial.measures.problem
    if trial.labels.get("kind") != ANSWERABLE:
        return {Harm.UNANSWERABLE_ANSWERED: gives_result}
    is_right = trial.record.scores.get(_STRICT, 0.0) >= 1
    return {
        Harm.CONFIDENTLY_WRONG: gives_result and not is_right,
        Harm.REFUSED_ANSWERABLE: not trial.measures.answered,
    }
