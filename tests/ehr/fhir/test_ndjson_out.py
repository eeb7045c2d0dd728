"""Resources written as NDJSON."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.core.errors import UserError
from wardround.ehr.fhir.interaction import Resource
from wardround.ehr.fhir.ndjson import write_ndjson

RESOURCES: list[Resource] = [
    {"resourceType": "Patient", "id": "1", "name": [{"family": "Ångström"}]},
    {"resourceType": "Flag", "id": "a"},
    {"resourceType": "Patient", "id": "2"},
]


def test_each_type_has_a_private_file(tmp_path: Path) -> None:
    folder = tmp_path / "bulk"
    assert write_ndjson(RESOURCES, folder) == {"Patient": 2, "Flag": 1}
    files = {each.name: each for each in folder.iterdir()}
    assert files.keys() == {"Patient.ndjson", "Flag.ndjson"}
    lines = files["Patient.ndjson"].read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [RESOURCES[0], RESOURCES[2]]
    assert {each.stat().st_mode & 0o777 for each in files.values()} == {0o600}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_with_resources_is_refused(tmp_path: Path) -> None:
    write_ndjson(RESOURCES, tmp_path)
    with pytest.raises(UserError, match=r"already has Flag\.ndjson; name another folder"):
        write_ndjson(RESOURCES, tmp_path)


def test_an_interrupted_export_looks_like_none(tmp_path: Path) -> None:
    def interrupted() -> Iterator[Resource]:
        yield RESOURCES[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_ndjson(interrupted(), tmp_path)
    assert not list(tmp_path.glob("*.ndjson"))
    assert write_ndjson(RESOURCES, tmp_path) == {"Patient": 2, "Flag": 1}
