"""Agents beside each other on the same tasks: paired differences."""

from collections.abc import Sequence

from wardround.assessment.assessed import Assessed
from wardround.assessment.evidence import PlayedSuite
from wardround.core.record import by_task
from wardround.scoring.reliability import Tally
from wardround.scoring.statistics.paired import PairedDifference, paired_difference


def differences(assessed: Assessed) -> dict[str, PairedDifference]:
    """The other agents' differences from this one, by name."""
    own = _tallies(assessed.played)
    by_name = {}
    for name, played in assessed.beside.items():
        other = _tallies(played)
        difference = paired_difference([(own[key], other[key]) for key in own if key in other])
        if difference is not None:
            by_name[name] = difference
    return by_name


def _tallies(played: Sequence[PlayedSuite]) -> dict[tuple[str, str], Tally]:
    return {
        (suite.benchmark, task): Tally(
            sum(trial.outcome.scored for trial in trials),
            sum(trial.outcome.value == "passed" for trial in trials),
        )
        for suite in played
        if not suite.is_injected
        for task, trials in by_task(suite.trials).items()
    }
