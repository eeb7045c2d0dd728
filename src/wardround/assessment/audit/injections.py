"""Texts that do harm where they are run as code, sent by every tool and as the answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from wardround.assessment.audit.probes import ENDING, answer_actions
from wardround.core.actions import Action, Call, Observation
from wardround.core.benchmark import AgentContext, AgentMaker, Benchmark
from wardround.core.packaged_data import read_rows
from wardround.core.private_files import write_whole
from wardround.core.task import Briefing

_SECRET = "417-the-content-of-a-file-out-of-reach"  # noqa: S105 - a word to be found again
_PRODUCT = "62615533"  # what a template gives that is evaluated


@dataclass(frozen=True, slots=True)
class Injection:
    """A text that does harm where it is run.

    Attributes:
        language: the language in which it does.
        text: the text.
    """

    language: str
    text: str


@cache
def _texts() -> tuple[Injection, ...]:
    rows = read_rows("wardround.assessment.audit", "injections.tsv")
    return tuple(Injection(language, text.replace("\\n", "\n")) for language, text in rows)


class Marks:
    """A file that must stay unread, and one that must not come into being.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        write_whole(folder / "secret.txt", _SECRET.encode())
        self._seen: dict[str, str] = {}

    def injections(self) -> Iterator[Injection]:
        """The texts, with the places of both files."""
        for number, each in enumerate(_texts()):
            mark, secret = self._mark(number), self._folder / "secret.txt"
            yield Injection(each.language, each.text.format(mark=mark, secret=secret))

    def note(self, injection: Injection, observation: str) -> None:
        """Records the observed effects of an injection."""
        if _SECRET in observation:
            self._seen[injection.text] = f"{injection.language} reads a file"
        elif injection.language == "template" and _PRODUCT in observation:
            self._seen[injection.text] = "a template is evaluated"

    def worked(self) -> list[str]:
        """The injections that worked."""
        written = [
            f"{each.language} writes a file"
            for number, each in enumerate(_texts())
            if self._mark(number).exists()
        ]
        return list(dict.fromkeys([*self._seen.values(), *written]))

    def _mark(self, number: int) -> Path:
        return self._folder / f"mark{number}"


class _Injecting:
    """Sends a text by every tool that takes text, and then as the answer."""

    def __init__(self, actions: Sequence[Action], marks: Marks, injection: Injection) -> None:
        self._actions = list(actions)
        self._marks = marks
        self._injection = injection

    async def act(self, observation: Observation) -> Action:
        """The next call; the last again and again."""
        self._marks.note(self._injection, observation.text)
        return self._actions.pop(0) if len(self._actions) > 1 else self._actions[0]


def injecting(benchmark: Benchmark, marks: Marks, injection: Injection) -> AgentMaker:
    """A maker of agents that send a text."""

    def make(briefing: Briefing, context: AgentContext) -> _Injecting:
        calls = [
            Call(tool.name, dict.fromkeys(names, injection.text))
            for tool in briefing.tools
            if tool.role not in ENDING and (names := [*_text_parameters(tool.parameters)])
        ]
        answer = answer_actions(benchmark, briefing, injection.text)
        return _Injecting([*calls, *answer], marks, injection)

    return make


def _text_parameters(schema: Any) -> Iterator[str]:
    for name, each in schema.get("properties", {}).items():
        if each.get("type") == "string" and "enum" not in each:
            yield name
