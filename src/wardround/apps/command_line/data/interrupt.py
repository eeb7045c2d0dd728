"""Says what is left where a database was to be made and the user stopped it."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def told_when_stopped(sentence: str) -> Iterator[None]:
    """Print a sentence after an interrupt, and leave with the code of one."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(sentence, err=True)
        raise typer.Exit(130) from None
