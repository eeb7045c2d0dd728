"""A suite of cohort questions for an assessment."""

from wardround.authoring.clinsql.suite import make_suite
from wardround.core.errors import UserError
from wardround.core.work import MadeSuite, SuiteRequest
from wardround.ehr.named_database import named_database

_LEAST_ITEMS = 6  # one for each scenario
_PATIENTS = 20  # the smallest cohort


def assessed_suite(request: SuiteRequest) -> MadeSuite:
    """Makes cohort questions about a database.

    Raises:
        UserError: the database has another layout, or too few similar patients.
    """
    if request.record_map is not None:
        raise UserError("cohort questions need a known layout, not a record map of your own.")
    count = max(_LEAST_ITEMS, request.tasks)
    made = make_suite(
        request.database,
        request.folder,
        count,
        request.seed,
        _PATIENTS,
        lambda done: request.progress(done, count, "tasks"),
    )
    if not (total := sum(made.counts.values())):
        raise UserError("no cohort question about the records passes its checks.")
    return MadeSuite(request.folder, total, named_database(request.database)[0])
