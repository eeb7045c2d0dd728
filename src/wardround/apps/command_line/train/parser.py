"""`wardround train parser`: the agent without a language model, taught in half a minute."""

from pathlib import Path
from typing import Annotated

import typer


def train_parser(
    database: Annotated[str, typer.Option(help="The database that questions are about.")],
    to: Annotated[Path, typer.Option(help="The file to write the parser to.")],
    tasks: Annotated[
        Path | None,
        typer.Option(help="Questions with their SQL, as EHRSQL has them. [made ones alone]"),
    ] = None,
    made: Annotated[
        int, typer.Option(min=0, help="Questions to make, for kinds that the others lack.")
    ] = 2600,
    seed: Annotated[int, typer.Option(help="What the made questions are drawn from.")] = 1,
) -> None:
    """Teach the model-free parser questions with their SQL, published or made."""
    from contextlib import closing

    from wardround.agents.parser import save, train
    from wardround.authoring.ehrsql import pair_sources
    from wardround.core.errors import UserError
    from wardround.ehr.database import open_database

    if to.exists():
        raise UserError(f"{to} is there already; name another file for the parser.")
    _check_writable(to)
    if tasks is None and not made:
        raise UserError("There is nothing to learn from; name --tasks, or leave --made above 0.")
    with closing(open_database(database)) as opened:
        typer.echo("making questions …", err=True)
        pairs = (
            pair_sources.published(opened.url, seed, str(tasks), made)
            if tasks
            else pair_sources.made(opened.url, seed, count=made)
        )
        parser = train(pairs, opened, lambda step: typer.echo(f"{step} …", err=True))
        save(parser, to)
    kinds = len({variant.kind for variant in parser.variants})
    typer.echo(
        f"{to}: {kinds} kinds of questions in {len(parser.variants)} forms; "
        f"answers from a confidence of {parser.threshold:.2f} on."
    )


def _check_writable(to: Path) -> None:
    """Before minutes of learning, not after them."""
    from wardround.core.errors import UserError

    try:
        to.touch(exist_ok=False)
        to.unlink()
    except OSError as error:
        raise UserError(
            f"The parser cannot be written to {to} ({error.strerror}); name another file."
        ) from None
