"""Measures of a trial, only here: the paper's tables count requests, actions and ambiguities."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from wardround.benchmarks.kit.measures import Measured


@dataclass(frozen=True, slots=True)
class RequestMeasures:
    """One of the two requests.

    Attributes:
        passed: whether it was carried out.
        at_once: whether the first submission did it.
        strict: whether it was carried out by the strict grader.
    """

    passed: bool = False
    at_once: bool = False
    strict: bool = False


@dataclass(frozen=True, slots=True)
class InteractMeasures:
    """One trial (Table 2, Figures 10 to 14).

    Attributes:
        first: the first request.
        second: the follow-up; of a task without one, as if it was not carried out.
        actions: the names of the actions taken, in order.
        asked_about: the kinds of ambiguity that the agent asked about.
        leaks: how often the user nearly gave away gold.
    """

    first: RequestMeasures
    second: RequestMeasures
    actions: tuple[str, ...]
    asked_about: tuple[str, ...]
    leaks: int


InteractTrial: TypeAlias = Measured[InteractMeasures]
InteractTrials: TypeAlias = Sequence[InteractTrial]
Request: TypeAlias = Callable[[InteractMeasures], RequestMeasures]


def first(measures: InteractMeasures) -> RequestMeasures:
    """The first request."""
    return measures.first


def second(measures: InteractMeasures) -> RequestMeasures:
    """The follow-up."""
    return measures.second


REQUESTS: dict[str, Request] = {"First": first, "Follow-up": second}


def success(trials: InteractTrials, request: Request, *, strict: bool = False) -> float:
    """The share of trials that carried out a request."""
    requests = [request(trial.measures) for trial in trials]
    return fmean(found.strict if strict else found.passed for found in requests)


def gained(trials: InteractTrials, request: Request) -> float:
    """The share of trials that carried out a request, but not with their first submission."""
    at_once = fmean(request(trial.measures).at_once for trial in trials)
    return success(trials, request) - at_once
