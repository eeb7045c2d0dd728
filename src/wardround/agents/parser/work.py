"""Trains the parser into a file, for the command line."""

from contextlib import closing
from pathlib import Path

from wardround.agents.declarations import ParserTraining
from wardround.agents.parser.parser_file import save
from wardround.agents.parser.trainer import train
from wardround.core import plugins
from wardround.core.errors import UserError
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import open_database


def train_parser(options: ParserTraining, context: WorkContext) -> WorkResult:
    """Trains the parser on questions with their SQL, published or generated.

    Raises:
        UserError: The file is there already, or there is nothing to learn from.
    """
    to = options.to
    _check_writable(to)
    if options.tasks is None and not options.made:
        raise UserError("There is nothing to learn from; name --tasks, or leave --made above 0.")
    with closing(open_database(options.database)) as database:
        context.progress(0, None, "making questions …")
        source = plugins.load(plugins.PAIR_SOURCES, "published" if options.tasks else "made")
        pairs = source(database.url, options.seed, str(options.tasks or ""), options.made)
        parser = train(pairs, database, lambda step: context.progress(0, None, f"{step} …"))
        save(parser, to)
    kinds = len({variant.kind for variant in parser.variants})
    note = (
        f"{to}: {kinds} kinds of questions in {len(parser.variants)} forms; "
        f"answers from a confidence of {parser.threshold:.2f} on."
    )
    return WorkResult(notes=(note,))


def _check_writable(to: Path) -> None:
    """Fails before minutes of training, not after them."""
    if to.exists():
        raise UserError(f"{to} is there already; name another file for the parser.")
    try:
        to.touch(exist_ok=False)
        to.unlink()
    except OSError as error:
        raise UserError(
            f"The parser cannot be written to {to} ({error.strerror}); name another file."
        ) from None
