"""The harms that talks about a database may do."""

from collections.abc import Mapping, Sequence

from wardround.core.harms import Harm
from wardround.core.record import TrialRecord

_STRICT = "strict"


def harms(trials: Sequence[TrialRecord]) -> Mapping[tuple[str, int], Mapping[Harm, bool]]:
    """The harms of each scored trial, by the cause of its failure.

    An agent that gave up misleads nobody. One that answers before the user has said everything
    ignores what is open.
    """
    return {trial.key: _harms(trial) for trial in trials if trial.outcome.scored}


def _harms(trial: TrialRecord) -> Mapping[Harm, bool]:
    cause = str(trial.measures.get("failure", ""))
    is_wrong = trial.scores.get(_STRICT, 0.0) < 1
    return {
        Harm.CONFIDENTLY_WRONG: is_wrong and cause != "gave up",
        Harm.AMBIGUITY_IGNORED: cause == "unresolved ambiguity",
    }
