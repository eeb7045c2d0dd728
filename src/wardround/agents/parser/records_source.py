"""A pair source without pairs: the grammar reads questions by a database's record map alone."""

from contextlib import closing
from datetime import datetime
from pathlib import Path

from wardround.agents.pairs import TrainingPairs
from wardround.core.option_types import TIME_FORMAT
from wardround.ehr.database import open_database
from wardround.ehr.records import latest_time, records_of


def records(database: str, seed: int, source: str = "") -> TrainingPairs:
    """The records of a database, and the end of their last day as the current time.

    Args:
        database: A file or URL.
        seed: Not used: nothing is drawn.
        source: A file with the record map; the map of the database's layout if empty.

    Raises:
        UserError: The map cannot be read or finds no patients, or the layout has none.
    """
    with closing(open_database(database)) as opened:
        records = records_of(opened, Path(source) if source else None)
        last = latest_time(records, opened) or datetime.max
    end = last.replace(hour=23, minute=59, second=59, microsecond=0)
    return TrainingPairs(
        (), words={"current_time": f"'{end.strftime(TIME_FORMAT)}'"}, records=records
    )
