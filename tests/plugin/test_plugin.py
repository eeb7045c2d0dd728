"""A benchmark that somebody else installs has all that ours have, without an edit."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from docs.generated_parts import methods_of_a_benchmark
from wardround.core import plugins

SITE = Path(__file__).with_name("site")
ENTRY_POINTS = """\
[wardround.benchmarks]
triage = triage_plugin.declaration:BENCHMARK
broken = no_such_module:BENCHMARK
crooked = crooked:BENCHMARK
[wardround.agents]
guesser = triage_plugin.declaration:AGENT
[wardround.work]
make.triage = triage_plugin.declaration:MAKE
score.triage = triage_plugin.declaration:SCORE
"""


def listed_methods() -> dict[str, tuple[str, str]]:
    """The required methods of the page by name: parameters, and "class method", "static", "async".

    Those of the optional capabilities have a name in the third column.
    """
    listed = re.findall(
        r"^\| `(\w+)\((.*?)\)` \| ([a-z ]*) \|  \|", methods_of_a_benchmark(), re.MULTILINE
    )
    return {name: (parameters, form) for name, parameters, form in listed}


OPENED = """\
from dataclasses import replace
from triage_plugin.benchmark import TriageBenchmark as Triage
from triage_plugin.declaration import BENCHMARK

class Listed:
    declaration = replace(BENCHMARK, name="listed", implementation="listed:Listed")

    def __init__(self, triage):
        self.triage = triage
"""


CROOKED = """\
from dataclasses import replace
from triage_plugin.benchmark import TriageBenchmark
from triage_plugin.declaration import BENCHMARK as TRIAGE
from wardround.core.declaration import Options

BENCHMARK = replace(
    TRIAGE, name="crooked", implementation="crooked:Crooked", options=Options
)

class Crooked(TriageBenchmark):
    def load(self, source):
        return super().load(source)
"""


def generated_benchmark() -> str:
    """A module with a benchmark of just the listed methods; each does what the plug-in's does."""
    methods = (_method(name, *listed) for name, listed in listed_methods().items())
    return "\n".join([OPENED, *methods])


def _method(name: str, parameters: str, form: str) -> str:
    match form:
        case "class method":
            head, body = f"@classmethod\n    def {name}(cls,", f"cls(Triage.{name}({parameters}))"
        case "static":
            head, body = f"@staticmethod\n    def {name}(", f"Triage.{name}({parameters})"
        case "async":
            head = f"async def {name}(self,"
            body = f"await self.triage.{name}({parameters})"
        case _:
            head, body = f"def {name}(self,", f"self.triage.{name}({parameters})"
    return f"    {head} {parameters}):\n        return {body}\n"


Wardround = Callable[..., str]


@pytest.fixture
def wardround(tmp_path: Path) -> Wardround:
    """Runs commands where the plug-in is installed, and returns what they print."""
    info = tmp_path / "site" / "triage_plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: triage-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "site" / "listed.py").write_text(generated_benchmark())
    (tmp_path / "site" / "crooked.py").write_text(CROOKED)
    path = os.pathsep.join([str(tmp_path / "site"), str(SITE)])
    environment = os.environ | {"PYTHONPATH": path}

    def run(*words: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "wardround", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        return done.stdout + done.stderr

    return run


def test_it_runs_resumes_and_reports(wardround: Wardround, tmp_path: Path) -> None:
    options = ("--ward", "west", "--grading", "strict", "--agent", "guesser", "--out", "r")
    wardround("run", "triage", *options, "--agent-setting", "guess=green")
    described = json.loads((tmp_path / "r/run.json").read_text())
    assert described["settings"]["options"] == {"ward": "west", "beds": 3}
    assert "0 trials to run" in wardround("resume", "r")
    report, _ = json.JSONDecoder().raw_decode(wardround("report", "r", "--json"))
    assert report["tables"]["triage"]["rows"] == [{"trials": 2, "right": 1}]


def test_a_benchmark_of_the_listed_methods_runs(wardround: Wardround, tmp_path: Path) -> None:
    """Explanations, comparisons and predictions are left out where there are none."""
    agent = ("--grading", "strict", "--agent", "guesser", "--agent-setting", "guess=green")
    wardround("run", "listed:Listed", *agent, "--out", "r", "--html", "r.html")
    shutil.copytree(tmp_path / "r", tmp_path / "s")
    assert not (tmp_path / "r/predictions.json").exists()
    assert "1 of 2" in wardround("report", "r")
    compared = json.loads(wardround("compare", "r", "s", "--json"))
    assert compared["tables"].keys() == {"compared", "paired"}
    assert "stroke" in wardround("trace", "r", "stroke")


def test_doctor_names_faulty_benchmarks(wardround: Wardround) -> None:
    lines = wardround("doctor", code=1).splitlines()
    assert "triage: has the methods of a benchmark" in lines
    (broken,) = (line for line in lines if line.startswith("broken:"))
    assert "no_such_module:BENCHMARK" in broken
    (crooked,) = (line for line in lines if line.startswith("crooked:"))
    assert crooked == "crooked: `load` takes (self, source), not (self, source, chosen)"


def test_it_validates_makes_tasks_and_scores_a_file(wardround: Wardround, tmp_path: Path) -> None:
    assert "Written to tasks.json" in wardround("tasks", "make", "triage", "--to", "tasks.json")
    own = ("triage_plugin.benchmark:make", "--to", "own.json")
    assert "Written to own.json" in wardround("tasks", "make", *own)
    wardround("tasks", "validate", "triage", "--tasks", "tasks.json", "--beds", "2")
    (tmp_path / "answers.json").write_text(json.dumps({"stroke": "red", "cough": "red"}))
    found = json.loads(wardround("score", "triage", "answers.json", "--json"))
    assert found["tables"]["file"]["rows"] == [{"right": 1}]


def test_it_is_documented_and_a_broken_one_is_named(wardround: Wardround) -> None:
    text = wardround("run", "triage", "--help")
    for word in ("--ward <east|west>", "How many beds there are.", "nurse", "strict: the right"):
        assert word in text
    listed = wardround("list")
    assert re.search(r"triage +Say who is seen first\.", listed)
    # Its code is not imported, since it is to run confined only.
    assert re.search(r"guesser +triage_plugin\.declaration:AGENT, from elsewhere", listed)
    assert "no_such_module:BENCHMARK" in listed
    other = plugins.names(plugins.BENCHMARKS)[0]
    refused = wardround("run", other, "--beds", "3", code=2)
    assert f"--beds is an option of triage and means nothing in {other}" in refused


def test_the_reference_has_its_options(wardround: Wardround, tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "site"), str(SITE)])}
    done = subprocess.run(
        [sys.executable, "-m", "wardround.apps.command_line.reference", "triage"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    for word in ("`--ward`", "`--beds`", "`nurse`", "`strict`", "tasks make triage", "`file`"):
        assert word in done.stdout
