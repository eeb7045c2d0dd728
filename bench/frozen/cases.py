"""The cases of `cases.toml`: what is run, and what is kept of it."""

import shlex
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Command:
    """One command of a case.

    Attributes:
        name: The file that its output goes to.
        args: The arguments, as they are typed; words in braces are filled in.
        before: The arguments that the program of before takes, where they differ.
        via: What is run: wardround, or python or pytest of the same checkout.
        keep: How output is kept: text, words, json, tables, tests or nothing.
        leave_out: Lines of text that are left out, as a regular expression.
        run: A run folder that is kept when the command has ended.
        trials: A run folder; the command is repeated for each of its trials, as `{trial}`.
        most: How many trials it is repeated for.
        bytes: Patterns of files whose digests are kept.
        texts: Patterns of files whose texts are kept.
    """

    name: str
    args: str
    before: str = ""
    via: str = "wardround"
    keep: str = "text"
    leave_out: str = ""
    run: str = ""
    trials: str = ""
    most: int = 8
    bytes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()

    def words(self, form: str, fills: dict[str, str]) -> list[str]:
        """The arguments in this form, filled in."""
        typed = self.before if form == "before" and self.before else self.args
        return [fill(word, fills) for part in shlex.split(typed) for word in _spread(part, fills)]

    @property
    def asks_model(self) -> bool:
        """True if the command writes or reads a recording of exchanges."""
        return "{exchanges}" in self.args or "{endpoint}" in self.args


@dataclass(frozen=True)
class Kills:
    """A run that is killed again and again, and resumed.

    Attributes:
        args: How the run is started; `{out}` is its folder.
        resume: How it is resumed.
        before: How the program of before resumes it, where that differs.
        count: How many kills.
        per_run: How many of them a run gets before it may end.
    """

    args: str
    resume: str
    before: str = ""
    count: int = 20
    per_run: int = 4


@dataclass(frozen=True)
class Case:
    """Commands that belong together, run in order."""

    name: str
    about: str
    needs: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    kills: Kills | None = None
    slow: bool = False
    words: dict[str, str] = field(default_factory=dict)

    @property
    def asks_model(self) -> bool:
        """True if a command of the case has a recording."""
        return any(command.asks_model for command in self.commands)


def read_cases(path: Path = FOLDER / "cases.toml") -> dict[str, Case]:
    """All cases, in the order of the file."""
    content = tomllib.loads(path.read_text())
    words: dict[str, str] = content.pop("words")
    return {name: _case(name, given, words) for name, given in content.items()}


def chosen(cases: dict[str, Case], patterns: list[str], *, slow: bool) -> list[Case]:
    """The cases that patterns name, after those they need; without patterns, all that are quick."""
    wanted = [
        case.name
        for case in cases.values()
        if any(fnmatch(case.name, pattern) for pattern in patterns)
        or (not patterns and (slow or not case.slow))
    ]
    needed = {name for case in wanted for name in (*cases[case].needs, case)}
    return [case for name, case in cases.items() if name in needed]


def fill(text: str, fills: dict[str, str]) -> str:
    """The text with its words in braces filled in; other braces stay."""
    for name, value in fills.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _spread(part: str, fills: dict[str, str]) -> list[str]:
    """A word in braces alone may stand for several arguments."""
    if part.startswith("{") and part.endswith("}") and part[1:-1] in fills:
        return shlex.split(fills[part[1:-1]])
    return [part]


def _case(name: str, given: dict[str, Any], words: dict[str, str]) -> Case:
    commands = tuple(_command(each) for each in given.pop("commands", ()))
    kills = given.pop("kills", None)
    return Case(
        name,
        given.pop("about"),
        tuple(given.pop("needs", ())),
        commands,
        Kills(**kills) if kills else None,
        given.pop("slow", False),
        words | given.pop("words", {}),
    )


def _command(given: dict[str, Any]) -> Command:
    lists: dict[str, Any] = {name: tuple(given.pop(name, ())) for name in ("bytes", "texts")}
    return Command(**given, **lists)
