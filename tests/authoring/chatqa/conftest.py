"""The records of hospitals in two layouts, on two engines."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime

import pytest

from tests.hospitals import hospital_file
from wardround.authoring.chatqa.asked_records import AskedRecords, open_records
from wardround.ehr.database import open_database
from wardround.ehr.records import records_of

NOW = datetime(2100, 12, 31, 23, 59)
HOSPITALS = {"mimic_iv_star": "sqlite", "omop_5_4": "duckdb"}


@pytest.fixture(scope="module", params=HOSPITALS)
def records(request: pytest.FixtureRequest) -> Iterator[AskedRecords]:
    """The records of a hospital of eighty patients."""
    layout = request.param
    path = hospital_file(layout, 80, seed=5, ending=HOSPITALS[layout])
    with closing(open_database(str(path))) as database:
        yield open_records(database, records_of(database), NOW)
