"""The records of hospitals in two layouts, on two engines."""

from collections.abc import Sequence
from contextlib import closing
from datetime import datetime
from functools import cache

import pytest

from tests.hospitals import KEPT_OPEN, hospital_file
from wardround.authoring.chatqa.asked_records import AskedRecords, open_records
from wardround.authoring.chatqa.spellings import SPELLINGS, Spelling
from wardround.ehr.database import open_database
from wardround.ehr.records import records_of

NOW = datetime(2100, 12, 31, 23, 59)
HOSPITALS = {"mimic_iv_star": "sqlite", "omop_5_4": "duckdb"}
# Drafts of increments are kept on OMOP (test_increments.py), all others on MIMIC-IV*.
STAR_FIRST = ("mimic_iv_star", pytest.param("omop_5_4", marks=pytest.mark.slow))


@pytest.fixture(scope="module", params=STAR_FIRST)
def layout(request: pytest.FixtureRequest) -> str:
    """The layout of the hospital."""
    return str(request.param)


@pytest.fixture(scope="module")
def records(layout: str) -> AskedRecords:
    """The records of a hospital of eighty patients, in the words of the terms."""
    return opened_records(layout)


@pytest.fixture(scope="module")
def spelled_records(layout: str) -> AskedRecords:
    """The same records with misspelled and partial names, which take most of the time."""
    return opened_records(layout, SPELLINGS)


@cache
def opened_records(layout: str, spellings: Sequence[Spelling] = ()) -> AskedRecords:
    """The records of a hospital that all tests of a process share."""
    path = hospital_file(layout, 80, seed=5, ending=HOSPITALS[layout])
    database = KEPT_OPEN.enter_context(closing(open_database(str(path))))
    return open_records(database, records_of(database), NOW, spellings)
