"""Hospitals in a layout that is prepared and renamed: same seed, same rows, every table filled."""

from contextlib import closing
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.hospitals import built
from wardround.core.errors import UserError
from wardround.ehr.database import empty_tables, open_database
from wardround.ehr.hospital import build_prepared_hospital
from wardround.ehr.schema import recognise
from wardround.ehr.values import preindexed_columns

PATIENTS = 16


def small_eicu_star() -> Path:
    """A small hospital, which no test changes."""
    return built(
        f"eicu_star-{PATIENTS}-2.sqlite",
        lambda path: build_prepared_hospital(path, schema="eicu_star", patients=PATIENTS, seed=2),
    )


def test_every_table_and_preindexed_column_has_values() -> None:
    with closing(open_database(str(small_eicu_star()))) as database:
        columns = {table: [c.name for c in database.columns(table)] for table in database.tables()}
        assert recognise(columns) == "eicu_star"
        assert empty_tables(database) == []
        indexed = preindexed_columns("eicu_star")
        assert indexed
        for table, column in indexed:
            rows = database.execute(f"SELECT COUNT(DISTINCT {column}) FROM {table}").rows
            assert int(str(rows[0][0])) > 1, (table, column)
        [(latest,)] = database.execute("SELECT MAX(lab_result_time) FROM lab").rows
        assert "2100-01-01" <= str(latest) <= "2100-12-31 23:59:00"


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    (tmp_path / "mine.sqlite").write_text("mine")
    with pytest.raises(UserError, match="already exists"):
        build_prepared_hospital(tmp_path / "mine.sqlite", schema="eicu_star", patients=5)
    assert (tmp_path / "mine.sqlite").read_text() == "mine"


@pytest.mark.parametrize("option", [("--notes",), ("--tables", "lab")])
def test_it_has_all_of_its_tables_and_no_notes(
    cli: Cli, tmp_path: Path, option: tuple[str, ...]
) -> None:
    line = ("data", "hospital", "--layout", "eicu_star", "--to", tmp_path / "h.sqlite", *option)
    refused = cli(*line)
    assert refused.code == 2
    assert "has all of its tables, and no notes" in refused.err
