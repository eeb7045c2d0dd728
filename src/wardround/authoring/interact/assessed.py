"""The reason why an assessment has no ambiguous tasks."""

from wardround.core.errors import UserError
from wardround.core.work import MadeSuite, SuiteRequest


def assessed_suite(request: SuiteRequest) -> MadeSuite:
    """Refuses, since ambiguous tasks are made from clear ones that persons wrote.

    Raises:
        UserError: always.
    """
    raise UserError(
        "ambiguous tasks are made from clear tasks and a knowledge base about this database, which "
        "people have to write; see wardround tasks make interact."
    )
