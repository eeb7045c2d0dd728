"""Tells which extra to install where a command needs one that is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

from wardround.core.errors import UserError


@contextmanager
def needs_extra(extra: str) -> Iterator[None]:
    """Surrounds the imports of an extra.

    Raises:
        UserError: one of its packages is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("wardround"):
            raise
        raise UserError(
            f"This command needs {error.name}; install it with: pip install 'wardround[{extra}]'."
        ) from None
