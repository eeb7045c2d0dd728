"""Checks the methods of a benchmark's class; `issubclass` looks at their names only."""

from collections.abc import Iterator
from inspect import getattr_static, iscoroutinefunction, signature

from wardround.core.benchmark import Benchmark
from wardround.core.capabilities import (
    AnswerGiver,
    AttemptValidator,
    Comparer,
    Consultable,
    Conversational,
    CostEstimator,
    Explainer,
    GoldReviewer,
    HarmReporter,
    Predictor,
    RubricGraded,
    SuiteChooser,
    Timed,
    TrainingSource,
    Versioned,
)

CAPABILITIES: tuple[type, ...] = (
    AttemptValidator,
    Explainer,
    SuiteChooser,
    Comparer,
    Predictor,
    TrainingSource,
    Conversational,
    RubricGraded,
    GoldReviewer,
    CostEstimator,
    Versioned,
    Timed,
    HarmReporter,
    AnswerGiver,
    Consultable,
)


def methods(protocol: type) -> list[str]:
    """The names of a protocol's methods."""
    return [name for name in vars(protocol) if not name.startswith("_")]


def method_faults(benchmark: type) -> list[str]:
    """Required methods that a benchmark's class lacks, and methods of another form."""
    missing = [
        f"it has no method `{name}`" for name in methods(Benchmark) if not hasattr(benchmark, name)
    ]
    return missing + [
        fault
        for protocol in (Benchmark, *CAPABILITIES)
        for name in methods(protocol)
        if hasattr(benchmark, name)
        for fault in _faults(protocol, name, benchmark)
    ]


def _faults(protocol: type, name: str, benchmark: type) -> Iterator[str]:
    """The difference between a method and that of the protocol."""
    expected, present = getattr(protocol, name), getattr(benchmark, name)
    if not callable(present):
        yield f"`{name}` is not a method"
        return
    if _is_of_class(protocol, name) and not _is_of_class(benchmark, name):
        yield f"`{name}` is called on the class; make it a static or class method"
        return
    if iscoroutinefunction(expected) != iscoroutinefunction(present):
        wanted = "`async def`" if iscoroutinefunction(expected) else "`def`, or `yield` in it"
        yield f"`{name}` needs {wanted}"
    parameters = list(signature(expected).parameters)
    try:
        signature(present).bind(*parameters)
    except TypeError:
        yield f"`{name}` takes {signature(present)}, not ({', '.join(parameters)})"


def _is_of_class(owner: type, name: str) -> bool:
    """True for static and class methods."""
    return isinstance(getattr_static(owner, name), (staticmethod, classmethod))
