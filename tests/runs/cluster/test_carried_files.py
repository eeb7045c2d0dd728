"""Files travel to a node's cache by the digest of their content."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runs.cluster_benchmark import ClusterBenchmark
from wardround.core.errors import UserError
from wardround.runs.cluster import carried_files as carried
from wardround.runs.cluster.carried_files import Arrival, CarriedFile, carried_files, relocated
from wardround.runs.settings import RunSettings

NAME = "tests.runs.cluster_benchmark:ClusterBenchmark"
NAMES = st.text("abc", min_size=1, max_size=3)
PATHS = st.builds(lambda folder, name: f"{folder}/{name}.f", NAMES, NAMES)


def sent(file: CarriedFile) -> Path:
    """The place of a file after its journey."""
    arrival = Arrival(file)
    for part, chunk in file.chunks():
        arrival.add(part, chunk)
    arrival.close()
    return file.node_path


def contents(path: Path) -> dict[str, bytes]:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    return {str(each.relative_to(path)): each.read_bytes() for each in files}


@given(st.one_of(st.binary(max_size=50), st.dictionaries(PATHS, st.binary(max_size=50))))
def test_what_arrives_is_what_was_sent(content: bytes | dict[str, bytes]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", f"{folder}/cache")
        patch.setattr(carried, "CHUNK_BYTES", 7)
        path = Path(folder, "thing")
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.mkdir()
            for name, inner in content.items():
                (path / name).parent.mkdir(exist_ok=True)
                (path / name).write_bytes(inner)
        place = sent(CarriedFile.of(path))
        assert contents(place) == contents(path)
        assert sent(CarriedFile.of(path)) == place  # a second worker of the node
        left = [each.name for each in (Path(folder) / "cache/wardround/carried").iterdir()]
        assert left == [CarriedFile.of(path).digest]


def test_a_file_that_changes_on_its_way_does_not_arrive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "ward.db").write_bytes(b"12 beds")
    file = CarriedFile.of(tmp_path / "ward.db")
    (tmp_path / "ward.db").write_bytes(b"13 beds")
    with pytest.raises(UserError, match="was changed while it was sent"):
        sent(file)
    assert not file.node_path.exists()


def test_the_settings_of_a_node_name_its_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("ward.db", "answers.jsonl", "model"):
        (tmp_path / name).write_text(name)
    settings = RunSettings(
        benchmark=NAME,
        agent="oracle",
        databases={"ward": str(tmp_path / "ward.db"), "far": "postgresql:far"},
        replay=tmp_path / "answers.jsonl",
    )
    trained = {"ward": tmp_path / "model"}
    files = carried_files(settings, trained)
    for file in files:
        sent(file)
    there, trained_there = relocated(settings, trained, files)
    assert Path(there.databases["ward"]).read_text() == "ward.db"
    assert there.databases["far"] == "postgresql:far"
    assert there.replay is not None
    assert there.replay.read_text() == "answers.jsonl"
    assert trained_there["ward"].read_text() == "model"
    assert {*map(str, (there.databases["ward"], there.replay, *trained_there.values()))}.isdisjoint(
        str(file.path) for file in files
    )


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"processes": 2}, "--processes applies to one machine"),
        ({"cache": "c"}, "--cache names a file of one machine"),
        ({"record": "r"}, "--record names a file of one machine"),
        ({"agent_allow": ("net",)}, "--agent-allow net is refused with --cluster"),
    ],
)
def test_what_does_not_fit_a_cluster_is_refused(more: dict[str, object], problem: str) -> None:
    values = {"benchmark": NAME, "agent": "oracle", **more}
    assert RunSettings.model_validate(values).declaration is ClusterBenchmark.declaration
    with pytest.raises(UserError, match=problem):
        RunSettings.model_validate({**values, "cluster": "auto"})
