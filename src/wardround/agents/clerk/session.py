"""The state of a session: the patient, the tools, and the questions and results so far."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from wardround.agents.clerk.question import Question
from wardround.agents.clerk.results import Entry
from wardround.core.actions import Call
from wardround.core.task import Briefing
from wardround.core.tools import ToolSpec

_ID = re.compile(r"\b(session_id|subject_id|hadm_id): *(\S+)")
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_AGE = re.compile(r"\b(\d{1,3}) years old")
_FEMALE = re.compile(r"\b(?:female|woman)\b|女", re.IGNORECASE)
Kind = TypeVar("Kind")


@dataclass(slots=True)
class Session:
    """A session.

    Attributes:
        tools: the tools by their roles.
        ids: the ids that the opening names.
        today: the session's day; None if the opening names none.
        age: the patient's age in years, if it is named.
        female: the patient's sex.
        questions: the questions so far, as resolved.
        results: the results of the calls so far, in order.
    """

    tools: Mapping[str, ToolSpec]
    ids: dict[str, Any] = field(default_factory=dict)
    today: date | None = None
    age: int | None = None
    female: bool | None = None
    questions: list[Question] = field(default_factory=list)
    results: list[tuple[Call, tuple[Entry, ...]]] = field(default_factory=list)

    def call(self, role: str, **arguments: Any) -> Call:
        """A call of the tool with a role, with the ids that it takes."""
        return self.tools[role].call(**{**self.ids, **arguments})

    def role(self, call: Call) -> str:
        """The role of the tool that a call is of."""
        return next(role for role, tool in self.tools.items() if tool.name == call.tool)

    def entries(self, kind: type[Kind], since: int = 0) -> Iterator[Kind]:
        """The entries of a kind in the results since the given number."""
        for _, entries in self.results[since:]:
            yield from (each for each in entries if isinstance(each, kind))


def open_session(briefing: Briefing, opening: str) -> Session:
    r"""A session by its opening.

    >>> open_session(Briefing("", ()), "session_id: s1\nsubject_id: 7").ids
    {'session_id': 's1', 'subject_id': 7}
    """
    tools = {tool.role: tool for tool in briefing.tools}
    ids = {name: int(value) if value.isdigit() else value for name, value in _ID.findall(opening)}
    day, age = _DATE.search(opening), _AGE.search(opening)
    return Session(
        tools,
        ids,
        date.fromisoformat(day[0]) if day else None,
        int(age[1]) if age else None,
        _FEMALE.search(opening) is not None if age else None,
    )


def split_opening(text: str) -> tuple[str, str]:
    r"""The opening and the question of a session's first message.

    >>> split_opening("subject_id: 7\n\nHow old is he?")
    ('subject_id: 7', 'How old is he?')
    """
    opening, blank, question = text.rpartition("\n\n")
    return (opening, question) if blank else ("", text)
