"""One test of many cases that need nothing set up."""

import inspect
from collections.abc import Callable, Iterable
from typing import Any


def for_each(cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Makes a function of a case a test of all of them, which fails with every case that does.

    pytest spends several milliseconds on a test, in every process: more than such a case takes.

    Args:
        cases: the arguments of each case; of a function with one parameter, the argument itself.
    """
    listed = tuple(cases)
    assert listed

    def decorated(check: Callable[..., None]) -> Callable[[], None]:
        is_whole = len(inspect.signature(check).parameters) == 1

        def test() -> None:
            errors = []
            for case in listed:
                try:
                    check(*((case,) if is_whole else case))
                except Exception as error:
                    error.add_note(f"case: {case!r:.200}")
                    errors.append(error)
            if errors:
                raise ExceptionGroup(f"{len(errors)} of {len(listed)} cases fail", errors)

        test.__name__, test.__doc__ = check.__name__, check.__doc__
        return test

    return decorated
