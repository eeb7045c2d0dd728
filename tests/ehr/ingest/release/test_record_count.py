"""Record counts agree with Python's csv module for any block size."""

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ehr.ingest.release.conftest import SCHEMA
from wardround.ehr.ingest.release import find_sources
from wardround.ehr.ingest.release import record_count as records
from wardround.ehr.ingest.release.record_count import RecordCount, count_carefully

CELLS = st.text(st.sampled_from('a",\n\r'), max_size=4)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(CELLS, min_size=5, max_size=5)),
    blanks=st.lists(st.integers(0, 3), min_size=9, max_size=9),
    block=st.integers(1, 40),
    ended=st.booleans(),
)
def test_records_are_counted(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    end: str,
    rows: list[list[str]],
    blanks: list[int],
    block: int,
    ended: bool,
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator=end, quoting=csv.QUOTE_ALL)
    writer.writerow(["visit_id", "ward", "day", "came", "weight"])
    for number, row in enumerate(rows):
        writer.writerow(row)
        text.write(end * blanks[number % len(blanks)])
    content = text.getvalue() if ended else text.getvalue().rstrip("\r\n")
    (tmp_path / "visits.csv.gz").write_bytes(gzip.compress(content.encode()))
    [source] = find_sources(SCHEMA, tmp_path).sources
    monkeypatch.setattr(records, "_BLOCK", block)
    count = RecordCount(source)
    assert count.run() == count_carefully(source) == len(rows)
    assert not count.nul
