"""Opens a database that is yet to be made, and leaves no half of it."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database import Target, write_database


@contextmanager
def new_database(location: str) -> Iterator[Target]:
    """The database to make; its file, if there was none, is gone again after an exception.

    Raises:
        UserError: If it has tables: nothing is overwritten.
    """
    path = Path(location).expanduser()
    before = path.exists()
    try:
        with closing(write_database(location)) as target:
            _check_empty(target)
            yield target
    except BaseException:
        if not before:
            path.unlink(missing_ok=True)
        raise


def _check_empty(target: Target) -> None:
    if target.tables():
        raise UserError(
            f"Database {target.location} has tables already and is left as it is; give the name of"
            " a new one."
        )
