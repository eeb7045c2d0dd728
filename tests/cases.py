"""One test of many cases that need the same, if anything, set up; fewer without slow tests."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from hypothesis import settings

Case = TypeVar("Case")


def one_in(step: int, cases: Sequence[Case]) -> Sequence[Case]:
    """Every n-th of cases that take long; with slow tests, all of them."""
    return cases[::step] if settings().max_examples < 100 else cases


def for_each(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a function of a case a test of all of them, which fails with every case that does.

    pytest spends several milliseconds on a test, in every process: more than such a case takes.
    Keyword-only parameters of the function are fixtures, which its cases share.

    Args:
        cases: the arguments of each case; of a function with one parameter, the argument itself.
    """
    listed = tuple(cases)
    assert listed

    def decorated(check: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(check).parameters.values()
        shared = [each for each in parameters if each.kind is each.KEYWORD_ONLY]
        is_whole = len(parameters) - len(shared) == 1

        def test(**fixtures: Any) -> None:
            errors = []
            for case in listed:
                try:
                    check(*((case,) if is_whole else case), **fixtures)
                except Exception as error:
                    error.add_note(f"case: {case!r:.200}")
                    errors.append(error)
            if errors:
                raise ExceptionGroup(f"{len(errors)} of {len(listed)} cases fail", errors)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        test.__signature__ = inspect.Signature(shared)  # type: ignore[attr-defined]
        return test

    return decorated
