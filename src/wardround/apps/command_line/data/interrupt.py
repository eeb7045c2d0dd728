"""Messages after an interrupt of a command that builds a database."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def exit_on_interrupt(sentence: str) -> Iterator[None]:
    """Print a sentence after an interrupt, and exit with code 130."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(sentence, err=True)
        raise typer.Exit(130) from None
