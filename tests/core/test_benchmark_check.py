"""The faults of a benchmark's methods are named; `issubclass` would not see them."""

from collections.abc import Callable
from typing import Any

from tests.cases import for_each
from wardround.core import plugins
from wardround.core.benchmark import Benchmark
from wardround.core.benchmark_check import CAPABILITIES, method_faults, methods
from wardround.core.capabilities import Explainer
from wardround.core.declared import benchmark_class


async def _judge(self: Any, task: Any, trajectory: Any, context: Any) -> None: ...


CASES: tuple[tuple[str, Any, str], ...] = (
    ("load", lambda self, source: None, "`load` takes (self, source), not (self, source, chosen)"),
    ("judge", _judge, "`judge` needs `def`, or `yield` in it"),
    ("environment", lambda self, task, context: None, "`environment` needs `async def`"),
    ("score", lambda task, trajectory, verdicts: None, "`score` is called on the class; make it"),
    ("explain", staticmethod(lambda task: None), "`explain` takes (task), not (task, trajectory"),
    ("compare", lambda runs: None, "`compare` is called on the class; make it a static"),
    ("validate", lambda self, task, trajectory, context: None, "`validate` needs `async def`"),
    ("predictions", {}, "`predictions` is not a method"),
    ("close", lambda self, now: None, "`close` takes (self, now), not (self)"),
)


@for_each(CASES)
def test_a_method_of_another_form_is_named(
    name: str, method: Callable[..., Any], fault: str
) -> None:
    listed = dict(vars(benchmark_class(plugins.names(plugins.BENCHMARKS)[0])))
    faults = method_faults(type("Changed", (), {**listed, name: method}))
    assert [found for found in faults if found.startswith(fault)] == faults


@for_each(methods(Benchmark))
def test_a_missing_method_is_named(name: str) -> None:
    protocol = {each: vars(Benchmark)[each] for each in methods(Benchmark) if each != name}
    assert method_faults(type("Lacking", (), protocol)) == [f"it has no method `{name}`"]


def test_optional_methods_may_lack() -> None:
    protocol = {each: vars(Benchmark)[each] for each in methods(Benchmark)}
    assert method_faults(type("Bare", (), protocol)) == []
    explaining = type("Explaining", (), {**protocol, "explain": lambda self: 3})
    assert issubclass(explaining, Explainer)
    assert len(method_faults(explaining)) == 1


def test_no_two_protocols_share_a_method() -> None:
    names = [name for protocol in (Benchmark, *CAPABILITIES) for name in methods(protocol)]
    assert len(names) == len(set(names))


@for_each(plugins.names(plugins.BENCHMARKS))
def test_installed_benchmarks_have_no_fault(name: str) -> None:
    assert method_faults(benchmark_class(name)) == []
