"""Records built from resources and from NDJSON files, and what is wrong with some."""

import gzip
import json
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from wardround.core import process_pool
from wardround.core.errors import UserError
from wardround.ehr.fhir.interaction import Request, Resource
from wardround.ehr.fhir.ndjson import read_ndjson
from wardround.ehr.fhir.record import Record, connect
from wardround.ehr.fhir.store.builder import Validation, build_record

PATIENTS: list[Resource] = [
    {"resourceType": "Patient", "id": id, "birthDate": "2100-01-01"} for id in "abc"
]
WRONG: Resource = {"resourceType": "Patient", "id": "x", "birthDate": "2100-13-01"}


def lines(resources: list[Resource]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in resources)


def test_a_folder_of_plain_and_gzipped_files(tmp_path: Path) -> None:
    (tmp_path / "1.ndjson").write_bytes(lines(PATIENTS[:1]))
    (tmp_path / "2.ndjson.gz").write_bytes(gzip.compress(lines(PATIENTS[1:])))
    built = build_record(tmp_path / "new.fhir", read_ndjson(tmp_path), source="here")
    assert built.counts == {"Patient": 3}
    record = Record.open(tmp_path / "new.fhir")
    assert (record.zone, record.validation, record.source) == ("America/New_York", "refuse", "here")
    assert record.workspace().handle(Request("GET", "Patient/c")).status == 200
    assert record.path.stat().st_mode & 0o77 == 0


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no folder .*gone to write new.fhir in"):
        build_record(tmp_path / "gone" / "new.fhir", PATIENTS)


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    def fingerprint(name: str, resources: list[Resource]) -> str:
        build_record(tmp_path / name, resources)
        return Record.open(tmp_path / name).fingerprint

    whole = fingerprint("1", PATIENTS)
    assert fingerprint("2", PATIENTS[::-1]) == whole
    assert fingerprint("3", PATIENTS[:2]) != whole


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (lines(PATIENTS)[:-20], "line 3 is not valid JSON"),
        (b"[]\n", "line 1 is not a resource"),
        (
            b'{"resourceType": "Patient"}\n',
            "line 1 is not a resource with a resourceType and an id",
        ),
        (b'{"resourceType": "Patient", "id": 5}\n', "line 1 is not a resource"),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_left(
    tmp_path: Path, content: bytes, fault: str
) -> None:
    source = tmp_path / "p.ndjson"
    source.write_bytes(content)
    with pytest.raises(UserError, match=rf"p\.ndjson, {fault}"):
        build_record(tmp_path / "new.fhir", read_ndjson(source))
    assert list(tmp_path.iterdir()) == [source]


def test_a_truncated_gzip_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "p.ndjson.gz").write_bytes(gzip.compress(lines(PATIENTS))[:-12])
    with pytest.raises(UserError, match=r"p\.ndjson\.gz is damaged"):
        list(read_ndjson(tmp_path))


def test_an_id_that_occurs_twice_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Patient/a is there twice"):
        build_record(tmp_path / "new.fhir", [*PATIENTS, PATIENTS[0]])
    assert not list(tmp_path.iterdir())


def test_a_resource_that_is_no_r4_is_refused_at_the_build(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"Patient/x is not valid R4 \(Patient\.birthDate"):
        build_record(tmp_path / "new.fhir", [WRONG])


def test_a_record_that_records_takes_it(tmp_path: Path) -> None:
    setting: Validation = "record"
    build_record(tmp_path / "new.fhir", [WRONG], validation=setting)
    workspace = Record.open(tmp_path / "new.fhir").workspace()
    assert workspace.handle(Request("GET", "Patient/x")).status == 200
    [defect] = workspace.overlay.defects()
    assert (defect.id, defect.path) == ("x", "Patient.birthDate")


def test_a_file_that_is_no_record_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("no record")
    with pytest.raises(UserError, match="is no FHIR record"):
        Record.open(tmp_path / "x")


def worker_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of workers that are started from now on."""
    started = list[int]()
    pool = ProcessPoolExecutor

    def start(workers: int, **options: Any) -> Any:
        started.append(workers)
        return pool(workers, **options)

    monkeypatch.setattr(process_pool, "ProcessPoolExecutor", start)
    return started


def test_several_processes_write_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows(name: str) -> list[tuple[object, ...]]:
        build_record(tmp_path / name, [*PATIENTS, WRONG], validation="record")
        with closing(connect(tmp_path / name)) as opened:
            tables = ("resource", "token", "date", "defect", "meta")
            return [row for table in tables for row in opened.execute(f"SELECT * FROM {table}")]

    alone = rows("1")
    monkeypatch.setattr("wardround.ehr.fhir.store.builder.SMALL", 1)
    monkeypatch.setattr("wardround.ehr.fhir.store.builder.BATCH", 2)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    started = worker_counts(monkeypatch)
    assert rows("2") == alone
    assert started == [1]
