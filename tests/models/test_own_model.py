"""Custom models: lookup by name, answers and errors."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from wardround.core import plugins
from wardround.core.errors import InfraError, UserError
from wardround.core.installed_packages import EntryPoint
from wardround.core.trajectory import Requested
from wardround.models.client import open_model
from wardround.models.exchange import Answer, Request
from wardround.models.messages import Message, Reply
from wardround.models.model import ModelSettings

HELLO = [Message("user", "Which ward?")]


def plain(request: Request) -> str:
    return request.messages[-1].text.upper()


async def asynchronous(request: Request) -> Reply:
    await asyncio.sleep(0)
    return Reply("Ward 3.")


def priced(request: Request) -> Answer:
    return Answer(Reply("Ward 4."), input_tokens=2, output_tokens=1, cost=0.5)


def nothing(request: Request) -> None:
    return None


def broken(request: Request) -> str:
    raise KeyError("weights")


def unwilling(request: Request) -> str:
    raise UserError("The model has no weights; name them.")


NOT_A_FUNCTION = 3


def asked(function: str) -> tuple[Reply, list[Requested]]:
    requests: list[Requested] = []
    model = open_model(ModelSettings(name=f"{__name__}:{function}"))
    return asyncio.run(model.bind("agent", requests.append, 7).chat(HELLO)), requests


@pytest.mark.parametrize(
    ("function", "text"),
    [("plain", "WHICH WARD?"), ("asynchronous", "Ward 3."), ("priced", "Ward 4.")],
)
def test_function_model_answers(function: str, text: str) -> None:
    assert asked(function)[0] == Reply(text)


def test_reported_tokens_and_cost_are_recorded() -> None:
    [request] = asked("priced")[1]
    assert (request.input_tokens, request.output_tokens, request.cost) == (2, 1, 0.5)
    [request] = asked("plain")[1]
    assert (request.cost, request.model) == (None, f"{__name__}:plain")


@pytest.mark.parametrize(
    ("function", "kind", "message"),
    [
        ("broken", InfraError, r"broken' failed \(KeyError: 'weights'\)"),
        ("nothing", InfraError, "nothing' returned NoneType: return a text"),
        ("unwilling", UserError, "has no weights"),
        ("missing", UserError, "cannot be imported"),
        ("NOT_A_FUNCTION", UserError, "is not a function"),
    ],
)
def test_failures_of_an_own_model(function: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        asked(function)


def test_a_model_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", f"{__name__}:plain", "wardround.models")
    monkeypatch.setattr(plugins, "installed", lambda group: [point])
    model = open_model(ModelSettings(name="mine"))
    assert asyncio.run(model.bind("agent", print, None).chat(HELLO)).text == "WHICH WARD?"


def test_a_module_in_the_current_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "wardmodel.py").write_text("def answer(request):\n    return 'here'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    model = open_model(ModelSettings(name="wardmodel:answer"))
    assert asyncio.run(model.bind("agent", print, None).chat(HELLO)).text == "here"


@pytest.mark.integration
def test_a_function_of_a_package_opens_without_the_libraries_of_providers() -> None:
    program = (
        "import sys\n"
        "from wardround.models.client import open_model\n"
        "from wardround.models.model import ModelSettings\n"
        "open_model(ModelSettings(name='tests.runs.rubric_benchmark:strict'))\n"
        "assert not {'openai', 'pydantic_ai'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
