"""Opens the database and the model, and makes ambiguous tasks."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

from wardround.authoring.interact.ambiguities.clear_tasks import ClearTask, read_clear
from wardround.authoring.interact.ambiguities.model_wording import reworded
from wardround.authoring.interact.ambiguities.proposal_search import Workshop
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.authoring.interact.ambiguities.suite import Made, Reworded, make_tasks
from wardround.benchmarks.interact.grader import Grader
from wardround.benchmarks.interact.open_databases import open_with_documents
from wardround.core.errors import UserError
from wardround.models import LanguageModel, ModelSettings, open_model


def make_ambiguous(
    source: Path,
    database: tuple[str, str],
    to: Path,
    *,
    documents: Path | None = None,
    model: ModelSettings | None = None,
    unreviewed: bool = False,
    on_task: Callable[[int], None] = lambda count: None,
) -> Made:
    """Makes a review file and a task file of clear tasks.

    Args:
        source: The clear tasks.
        database: The database's name and place.
        to: The folder for both files.
        documents: A folder with the database's documents; None for wardround's own.
        model: Words what rules cannot; None for rules alone.
        unreviewed: True to use candidates that nobody has decided.
        on_task: Called with the number of tasks before the first, and after each.

    Raises:
        UserError: A file or the database cannot be read, or a task is of another database.
    """
    name, place = database
    clear = read_clear(source, name)
    if other := next((task for task in clear if task.database != name), None):
        raise UserError(
            f"Task {other.id} is of the database {other.database!r}, not of {name!r}; give the "
            f"database that name, as --database {other.database}={place}."
        )
    chart = open_with_documents(name, place, documents)
    with (
        closing(chart.database) as opened,
        closing(opened.writable()) as workspace,
        closing(Grader()) as grader,
        _rewording(model) as words,
    ):
        return make_tasks(
            clear,
            Workshop(opened, workspace, chart.knowledge, grader),
            to,
            reworded=words,
            unreviewed=unreviewed,
            on_task=lambda: on_task(len(clear)),
        )


@contextmanager
def _rewording(settings: ModelSettings | None) -> Iterator[Reworded]:
    if settings is None:
        yield lambda task, proposal: (proposal, {})
        return
    language = open_model(settings)
    model = language.bind("rewriter", lambda requested: None, seed=0)

    with asyncio.Runner() as runner:

        def words(task: ClearTask, proposal: Proposal) -> tuple[Proposal, Mapping[str, str]]:
            return runner.run(reworded(task, proposal, model))

        try:
            yield words
        finally:
            runner.run(_closed(language))


async def _closed(language: LanguageModel) -> None:
    await language.close()
