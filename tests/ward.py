"""A small ward on wardround's own PostgreSQL server, as a trial finds it."""

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import count

import pytest

pytest.importorskip("psycopg")
pytest.importorskip("adbc_driver_postgresql")

from tests.ehr.database.engines import filled_on_server
from wardround.ehr.database import Database, open_database
from wardround.ehr.database.postgres.statements import Start

_WARD = """
CREATE TABLE wards (ward text PRIMARY KEY, beds int NOT NULL CHECK (beds > 0));
INSERT INTO wards VALUES ('ICU', 12), ('Surgery', 30), ('Medicine', 40);
CREATE TABLE stays (
    stay int PRIMARY KEY, ward text REFERENCES wards (ward), fee numeric(8, 3), began timestamp);
INSERT INTO stays
    SELECT i, (ARRAY['ICU', 'Surgery'])[1 + i % 2], i / 7.0, timestamp '2100-01-01' + i * interval '7 h'
    FROM generate_series(1, 20) AS i
"""  # noqa: E501
_NUMBERS = count()


@pytest.fixture(scope="session")
def ward_database() -> Iterator[Database]:
    location = f"postgresql:test_ward_{os.getpid()}_{next(_NUMBERS)}"
    with (
        filled_on_server(location, _WARD.split(";\n")),
        closing(open_database(location)) as database,
    ):
        yield database


@pytest.fixture
def start(ward_database: Database) -> Iterator[Start]:
    """The ward as a trial finds it."""
    with closing(ward_database.writable()) as workspace:
        yield Start(workspace, seconds=20)
