"""Declarations validate options and name the problem."""

import inspect
import sys
from pathlib import Path
from subprocess import run

import pytest
from pydantic import Field

from wardround.core import plugins
from wardround.core.declaration import (
    AgentDeclaration,
    BenchmarkDeclaration,
    Declaration,
    NoOptions,
    Options,
    WorkDeclaration,
)
from wardround.core.declared import (
    agent_declaration,
    benchmark_class,
    benchmark_declaration,
    checked_options,
    work_declaration,
)
from wardround.core.errors import UserError
from wardround.core.work import WorkContext, WorkResult

GROUPS = [plugins.BENCHMARKS, plugins.AGENTS]


class Clashing(Options):
    """Options with a reserved name."""

    seed: int = 0


class Needy(Options):
    """Options with a required one."""

    ward: str
    beds: int = Field(3, ge=1)


class Bare:
    """A benchmark without a declaration.

    More about it.
    """


def test_common_option_name_is_refused_with_its_plug_in() -> None:
    with pytest.raises(UserError, match=r"'mine' declares an option --seed, .*Clashing"):
        BenchmarkDeclaration("mine", "", "", options=Clashing)
    WorkDeclaration("mine", "", "", options=Clashing)


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({}, "--ward is needed"),
        ({"ward": "a", "beds": 0}, "--beds: Input should be greater than or equal to 1"),
        ({"ward": "a", "rooms": 1}, "no option --rooms here; there are: --ward, --beds"),
    ],
)
def test_unknown_option_is_reported(values: dict[str, object], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        checked_options(Needy, values, lambda name: f"--{name}")


def test_custom_class_is_a_benchmark() -> None:
    declared = benchmark_declaration(f"{__name__}:Bare")
    assert (declared.summary, declared.options) == ("A benchmark without a declaration.", NoOptions)
    with pytest.raises(UserError, match=r":Bare is not a benchmark: it has no method `open`\."):
        benchmark_class(f"{__name__}:Bare")


def count_beds(options: Needy, context: WorkContext[object]) -> WorkResult:
    """Counts beds."""
    return WorkResult(notes=(str(options.beds),))


def test_custom_function_is_work() -> None:
    declared = work_declaration("make", f"{__name__}:count_beds")
    assert (declared.summary, declared.options) == ("Counts beds.", Needy)
    assert plugins.implementation(declared.implementation).__name__ == "count_beds"


@pytest.mark.parametrize("attribute", ["Needy", "GROUPS", "test_custom_function_is_work"])
def test_other_objects_are_refused_as_work(attribute: str) -> None:
    with pytest.raises(UserError, match="neither a declaration of work nor a function"):
        work_declaration("make", f"{__name__}:{attribute}")


@pytest.mark.parametrize("group", GROUPS)
def test_installed_plug_ins_are_declared(group: str) -> None:
    for name, result in plugins.load_all(group):
        assert isinstance(result, Declaration), name
        assert result.name == name
        assert result.summary
        assert plugins.implementation(result.implementation)
        for option, field in result.options.model_fields.items():
            assert field.description, f"{name} {option}"


def test_agent_options_match_their_keywords() -> None:
    for name, result in plugins.load_all(plugins.AGENTS):
        assert isinstance(result, AgentDeclaration)
        opener = plugins.implementation(result.implementation)
        takes = inspect.signature(opener).parameters.values()
        keywords = {p.name for p in takes if p.kind is p.KEYWORD_ONLY}
        declared = set(result.options.model_fields)
        if result.train:
            declared = declared - {"pairs"} | {"trained"}
        assert keywords == declared, name


def test_function_keywords_become_options() -> None:
    result = agent_declaration("wardround.agents.t5.agents:open_agents")
    assert set(result.options.model_fields) >= {"beams", "percentile"}
    chosen = result.options.model_validate({"agent_model": "m", "beams": "2"})
    assert chosen.model_dump()["beams"] == 2


@pytest.mark.integration
def test_declarations_import_pydantic_and_core_alone() -> None:
    listed = "[list(plugins.load_all(group)) for group in (plugins.BENCHMARKS, plugins.AGENTS)]"
    names = "sorted(name for name in sys.modules if name.startswith('wardround.'))"
    program = f"import sys; from wardround.core import plugins; {listed}; print(*{names})"
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    other_modules = [name for name in done.stdout.split() if not name.startswith("wardround.core")]
    packages = {name for name in other_modules if "declaration" not in name}
    assert packages == {
        parent for name in other_modules if "declaration" in name for parent in parents(name)
    }


def parents(name: str) -> list[str]:
    """The packages that a module is in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(2, len(parts))]


def test_broken_plug_in_is_reported_and_others_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, plugins.BENCHMARKS, broken="no_such_module:BENCHMARK")
    monkeypatch.syspath_prepend(str(tmp_path))
    result = dict(plugins.load_all(plugins.BENCHMARKS))
    assert isinstance(result["broken"], plugins.Broken)
    assert "no_such_module" in result["broken"].reason
    assert [name for name in result if not isinstance(result[name], BenchmarkDeclaration)] == [
        "broken"
    ]


def install(folder: Path, group: str, **points: str) -> None:
    """Writes the metadata of an installed package with entry points."""
    info = folder / "someone_elses-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: someone-elses\nVersion: 1.0\n")
    lines = [f"[{group}]", *(f"{name} = {place}" for name, place in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
