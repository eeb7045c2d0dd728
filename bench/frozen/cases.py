"""The cases of `cases.toml`: commands to run and output to record."""

import shlex
import tomllib
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Command:
    """A command of a case.

    Attributes:
        name: the name of its output file.
        args: the arguments as typed, with placeholders in braces.
        before: the arguments for the earlier program, if they differ.
        via: the program: wardround, or python or pytest of the same checkout.
        keep: the format of recorded output: text, words, json, tables, tests or nothing.
        leave_out: a regular expression of lines, or of keys of a run, to leave out.
        run: a run folder to record after the command.
        trials: a run folder; the command is repeated for each of its trials, as `{trial}`.
        most: the largest number of repetitions.
        bytes: patterns of files to record as digests.
        texts: patterns of files to record as text.
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
        """Returns the arguments for "before" or "now", with placeholders filled in."""
        typed = self.before if form == "before" and self.before else self.args
        return [fill(word, fills) for part in shlex.split(typed) for word in _spread(part, fills)]

    @property
    def asks_model(self) -> bool:
        """True if the command writes or reads a recording of exchanges."""
        return "{exchanges}" in self.args or "{endpoint}" in self.args


@dataclass(frozen=True)
class Kills:
    """A run that is repeatedly killed and resumed.

    Attributes:
        args: the arguments that start the run; `{out}` is its folder.
        resume: the arguments that resume it.
        before: the arguments that resume it in the earlier program, if they differ.
        count: the number of kills.
        per_run: the number of kills of each run before it may end.
    """

    args: str
    resume: str
    before: str = ""
    count: int = 20
    per_run: int = 4


@dataclass(frozen=True)
class Case:
    """A sequence of related commands."""

    name: str
    about: str
    needs: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    kills: Kills | None = None
    slow: bool = False
    words: dict[str, str] = field(default_factory=dict)

    @property
    def asks_model(self) -> bool:
        """True if a command of the case uses recorded exchanges."""
        return any(command.asks_model for command in self.commands)


def read_cases(path: Path = FOLDER / "cases.toml") -> dict[str, Case]:
    """Reads all cases, in the order of the file."""
    content = tomllib.loads(path.read_text())
    words: dict[str, str] = content.pop("words")
    return {name: _case(name, fields, words) for name, fields in content.items()}


def chosen(cases: dict[str, Case], patterns: list[str], *, slow: bool) -> list[Case]:
    """Returns the cases that match, and those they need; without patterns, all quick cases."""
    wanted = [
        case.name
        for case in cases.values()
        if any(fnmatch(case.name, pattern) for pattern in patterns)
        or (not patterns and (slow or not case.slow))
    ]
    needed = {name for case in wanted for name in (*cases[case].needs, case)}
    return [case for name, case in cases.items() if name in needed]


def fill(text: str, fills: dict[str, str]) -> str:
    """Fills in the known placeholders of a text; other braces stay."""
    for name, value in fills.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _spread(part: str, fills: dict[str, str]) -> list[str]:
    """Splits a placeholder that stands for several arguments."""
    if part.startswith("{") and part.endswith("}") and part[1:-1] in fills:
        return shlex.split(fills[part[1:-1]])
    return [part]


def _case(name: str, fields: dict[str, Any], words: dict[str, str]) -> Case:
    commands = tuple(_command(entry) for entry in fields.pop("commands", ()))
    kills = fields.pop("kills", None)
    return Case(
        name,
        fields.pop("about"),
        tuple(fields.pop("needs", ())),
        commands,
        Kills(**kills) if kills else None,
        fields.pop("slow", False),
        words | fields.pop("words", {}),
    )


def _command(fields: dict[str, Any]) -> Command:
    lists: dict[str, Any] = {name: tuple(fields.pop(name, ())) for name in ("bytes", "texts")}
    return Command(**fields, **lists)
