"""Typed measures of trials: a scorer writes them, a report reads them back."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from wardround.core.errors import UserError
from wardround.core.record import TrialRecord

Measures = TypeVar("Measures")


@dataclass(frozen=True, slots=True)
class Measured(Generic[Measures]):
    """A scored trial with its measures."""

    record: TrialRecord
    measures: Measures

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels of the trial's task."""
        return self.record.labels


def measured(trials: Iterable[TrialRecord], kind: type[Measures]) -> list[Measured[Measures]]:
    """Returns the scored trials with their measures.

    Args:
        trials: trials of a run; unscored ones are left out.
        kind: the frozen dataclass of measures that the benchmark's scorer writes.

    Raises:
        UserError: a trial's measures have other fields.
    """
    adapter = TypeAdapter(kind)
    return [Measured(trial, _read(trial, adapter)) for trial in trials if trial.outcome.scored]


def measured_in_bounds(
    trials: Iterable[TrialRecord], kind: type[Measures]
) -> list[Measured[Measures]]:
    """The trials that have measures, unscored ones among them whose measures are bounds.

    Args:
        trials: trials of a run.
        kind: the frozen dataclass that the benchmark's scorer fills.

    Raises:
        UserError: a trial holds other measures.
    """
    adapter = TypeAdapter(kind)
    return [Measured(trial, _read(trial, adapter)) for trial in trials if trial.measures]


def _read(trial: TrialRecord, adapter: TypeAdapter[Measures]) -> Measures:
    try:
        return adapter.validate_python(trial.measures)
    except ValidationError as error:
        raise UserError(
            f"Trial {trial.task}:{trial.trial} has no measures as this version writes them "
            f"({error.error_count()} fields differ); run it again."
        ) from None
