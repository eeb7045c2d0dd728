"""The steps of a Containerfile, carried out in folders."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
CONTAINERFILE = """\
# Two stages.
ARG PYTHON=3.13
FROM python:${PYTHON} AS wheel
WORKDIR /src
COPY pyproject.toml LICENSE ./
COPY src src
RUN build \\
    && install
FROM python:${PYTHON} AS base
COPY --from=wheel /src/src /wheel
USER 1000
WORKDIR /work
ENTRYPOINT ["wardround"]
CMD ["run", "all"]
FROM base AS full
USER 0
RUN more
USER 1000
"""


@pytest.fixture
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("steps", ROOT / "tools" / "container_steps.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_stages_are_built_on_each_other_and_the_last_one_runs_the_command(
    tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, image, target = (tmp_path / name for name in ("repository", "image", "target"))
    for path in (repository / "src" / "wards", image / "etc", target):
        path.mkdir(parents=True)
    for name in ("pyproject.toml", "LICENSE", "src/wards/beds.py"):
        (repository / name).write_text(name)
    (repository / "Containerfile").write_text(CONTAINERFILE)
    ran: list[tuple[str, str, str, str]] = []

    def note(stage: Path, folder: str, user: str, *command: str) -> None:
        ran.append((stage.name, folder, user, " ".join(command)))
        (stage / f"ran{len(ran)}").touch()

    monkeypatch.setattr(tool, "ROOT", repository)
    monkeypatch.setattr(tool, "_inside", note)
    tool.main(image, target)
    assert ran == [
        ("wheel", "/src", "0", "sh -c build     && install"),
        ("full", "/work", "0", "sh -c more"),
        ("full", "/work", "1000", "wardround run all"),
    ]
    files = {
        stage.name: sorted(str(p.relative_to(stage)) for p in stage.rglob("*") if p.is_file())
        for stage in target.iterdir()
    }
    assert files == {
        "wheel": ["ran1", "src/LICENSE", "src/pyproject.toml", "src/src/wards/beds.py"],
        "base": ["wheel/wards/beds.py"],
        "full": ["ran2", "ran3", "wheel/wards/beds.py"],
    }
    assert all((target / stage / "etc").is_dir() for stage in files)


def test_every_instruction_of_the_containerfile_is_carried_out(tool: ModuleType) -> None:
    instructions = {name for name, _ in tool.steps((ROOT / "Containerfile").read_text("utf-8"))}
    carried_out = {"FROM", "WORKDIR", "USER", "COPY", "RUN", "ENTRYPOINT", "CMD"}
    assert instructions - {"ARG"} <= carried_out


def test_a_step_that_fails_stops_the_rest(tool: ModuleType) -> None:
    with pytest.raises(SystemExit, match="false ended with 1"):
        tool._run("false")
