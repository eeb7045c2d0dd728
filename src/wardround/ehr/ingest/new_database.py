"""Creation of a database that is removed again on failure."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wardround.core.errors import UserError
from wardround.ehr.database import Target, write_database


@contextmanager
def new_database(location: str) -> Iterator[Target]:
    """Open a new database; after an exception its file is deleted if it did not exist before.

    Raises:
        UserError: If it already has tables.
    """
    path = Path(location).expanduser()
    existed = path.exists()
    try:
        with closing(write_database(location)) as target:
            _check_empty(target)
            yield target
    except BaseException:
        if not existed:
            path.unlink(missing_ok=True)
        raise


def _check_empty(target: Target) -> None:
    if target.tables():
        raise UserError(
            f"Database {target.location} has tables already and is left as it is; give the name of"
            " a new one."
        )
