"""The review file: a line for each thing that could be put into a task, which a person decides."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import orjson
from pydantic import BaseModel, ConfigDict, ValidationError

from wardround.authoring.interact.ambiguities.follow_ups import Following
from wardround.authoring.interact.ambiguities.proposals import Proposal
from wardround.core.errors import UserError


class Line(BaseModel):
    """An ambiguity, or a follow-up where it has a gold; all but the gold may be edited.

    `decision` is empty, "accept" or "strike". `request` is what would be asked: with this
    ambiguity alone it is there to be read, of a follow-up it is the follow-up's.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    decision: Literal["", "accept", "strike"] = ""
    task: str
    type: str
    term: str = ""
    said: str = ""
    becomes: str = ""
    meaning: str = ""
    fragment: str = ""
    otherwise: tuple[str, ...] = ()
    critical: bool = True
    knowledge: int | None = None
    transition: str = ""
    request: str = ""
    gold: str = ""
    category: Literal["BI", "DM"] = "BI"
    first: str = ""
    made: str = ""

    @property
    def key(self) -> tuple[object, ...]:
        """What a second call knows it by."""
        return (self.task, self.type, self.fragment, self.knowledge, self.transition, self.gold)

    @property
    def settled(self) -> bool:
        """Whether it is decided or has words: then a second call leaves it alone."""
        return bool(self.decision or self.meaning or self.gold)

    def proposal(self) -> Proposal:
        """The ambiguity."""
        return Proposal(
            self.type,
            self.fragment,
            self.meaning,
            self.otherwise,
            self.said,
            self.becomes,
            self.term,
            self.critical,
            self.knowledge,
            self.transition,
        )

    def following(self) -> Following:
        """The follow-up."""
        return Following(self.type, self.request, self.gold, self.category, self.first, self.made)


def line_of(task: str, one: Proposal | Following, request: str) -> Line:
    """The undecided line of a proposal, with the request as it would be."""
    if isinstance(one, Following):
        return Line(
            task=task,
            type=one.kind,
            request=one.request,
            gold=one.gold,
            category=one.category,
            first=one.first,
            made=one.made,
        )
    return Line(
        task=task,
        type=one.kind,
        term=one.term or one.becomes.strip(),
        said=one.said,
        becomes=one.becomes,
        meaning=one.meaning,
        fragment=one.fragment,
        otherwise=one.otherwise,
        critical=one.critical,
        knowledge=one.knowledge,
        transition=one.transition,
        request=request,
    )


def merged(old: Sequence[Line], new: Iterable[Line]) -> tuple[Line, ...]:
    """What a file has, as it is, and after it what is new.

    A line of it that nobody has worded or decided gives way to one that has words.

    >>> a, b = Line(task="t", type="sort", decision="strike"), Line(task="t", type="null")
    >>> [one.decision for one in merged([a], [Line(task="t", type="sort"), b])]
    ['strike', '']
    """
    fresh = {one.key: one for one in new}
    kept = tuple(one if one.settled else fresh.get(one.key, one) for one in old)
    known = {one.key for one in old}
    return (*kept, *(one for key, one in fresh.items() if key not in known))


def read_review(path: Path) -> tuple[Line, ...]:
    """Reads a review file; one that is not there has no lines.

    Raises:
        UserError: A line cannot be read, or is accepted without what a task needs of it.
    """
    if not path.exists():
        return ()
    lines = enumerate(path.read_bytes().splitlines(), start=1)
    return tuple(_line(line, f"{path}, line {number}") for number, line in lines if line.strip())


def write_review(path: Path, lines: Iterable[Line]) -> None:
    """Writes a review file; what is empty is left out, apart from the decision."""
    text = b"".join(
        orjson.dumps({"decision": one.decision, **one.model_dump(exclude_defaults=True)}) + b"\n"
        for one in lines
    )
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(text)
    part.replace(path)


def _line(line: bytes, where: str) -> Line:
    try:
        found = Line.model_validate(orjson.loads(line))
    except orjson.JSONDecodeError as error:
        raise UserError(f"{where} is not valid JSON ({error}); mend the line.") from None
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "the line"
        raise UserError(f"{where}: {field}: {problem['msg']}; mend the line.") from None
    if found.decision == "accept" and not (found.gold or (found.meaning and found.fragment)):
        raise UserError(
            f"{where} is accepted without a meaning; write what the user means, or strike it."
        )
    return found
