"""A suite of conversations for an assessment."""

from wardround.authoring.chatqa.declaration import MakeOptions
from wardround.authoring.chatqa.work import write_tasks
from wardround.core.private_files import make_folder
from wardround.core.work import MadeSuite, SuiteRequest

_INCREMENTS = 0.6  # the share of IncreQA tasks, as in a suite of 60 and 40


def assessed_suite(request: SuiteRequest) -> MadeSuite:
    """Makes conversations about a database.

    Raises:
        UserError: the records do not serve questions.
    """
    make_folder(request.folder)
    incre = round(_INCREMENTS * request.tasks)
    options = MakeOptions(
        database=request.database,
        map=request.record_map,
        to=request.folder / "tasks.jsonl",
        incre=incre,
        adapt=request.tasks - incre,
        seed=request.seed,
    )
    written = write_tasks(options, request.progress)
    return MadeSuite(
        options.to, len(written.tasks), written.layout, {"current_time": written.current_time}
    )
