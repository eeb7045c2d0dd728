"""A trial as a conversation, for reports: questions, actions, replies and grades."""

from dataclasses import dataclass
from typing import Literal

from wardround.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Wording:
    """A text in each of a conversation's languages, such as a question or a gold answer.

    Attributes:
        label: its name, such as "implicit question".
        texts: the text by language, in the order of the conversation's languages.
    """

    label: str
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a conversation: a message, a call, or its result."""

    kind: Literal["said", "called", "returned"]
    who: str
    text: str


@dataclass(frozen=True, slots=True)
class GradedItem:
    """A graded item: its text by language, and its verdicts, the one that counts first."""

    texts: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A part of a conversation: a question with all that follows until it is answered.

    Attributes:
        title: the name of the part.
        wordings: the question in its forms, and the gold answer.
        lines: what was said and done, in order.
        items: the graded items.
        judged_on: the text by which a model judged them; "" if none did.
    """

    title: str
    wordings: tuple[Wording, ...]
    lines: tuple[Line, ...]
    items: tuple[GradedItem, ...]
    judged_on: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The exchanges of a trial, with the names of their languages."""

    languages: tuple[str, ...]
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class RubricPart:
    """A node of a rubric: a requirement that is judged, or a group of them.

    Attributes:
        text: the requirement, or the group's heading.
        item: the item of the verdicts on it; "" for a group.
        remark: how it counts, such as its weight.
        parts: the parts of a group.
    """

    text: str
    item: str = ""
    remark: str = ""
    parts: tuple["RubricPart", ...] = ()
