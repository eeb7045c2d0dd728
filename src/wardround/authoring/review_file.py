"""Review files, shared by all makers: JSON Lines with a candidate for a person to decide on each.

A maker appends candidates, a person replaces "open" by "accept" or "strike", and the next run of
the maker reads the decisions. Fields of a single maker are under `detail`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from wardround.authoring.findings import Finding
from wardround.core.errors import UserError
from wardround.core.private_files import write_whole

# Faults listed in a message; the rest are counted.
_SHOWN = 10


class Detail(BaseModel):
    """Base of a maker's own fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Own = TypeVar("Own", bound=Detail)
Decision: TypeAlias = Literal["open", "accept", "strike"]


def _as_decision(cell: object) -> object:
    return (cell.strip().lower() or "open") if isinstance(cell, str) else cell


class Candidate(BaseModel, Generic[Own]):
    """A wording, ambiguity or follow-up that a person may accept for made tasks.

    Attributes:
        decision: the person's decision; "open" before it.
        id: its name, which does not depend on fields that a person may edit.
        kind: its kind, such as "wording".
        changes: the id of the template or task that it changes.
        text: the resulting question or request.
        checks: the problem found by each check; "" for a passed check.
        by: the person who decided.
        note: a person's remark.
        detail: the maker's own fields.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    decision: Annotated[Decision, BeforeValidator(_as_decision)] = "open"
    id: str
    kind: str
    changes: str
    text: str = ""
    checks: Mapping[str, str] = {}
    by: str = ""
    note: str = ""
    detail: Own

    @property
    def finding(self) -> Finding | None:
        """The first failed check; None if all pass."""
        for check, problem in self.checks.items():
            if problem:
                return Finding(self.changes, check, self.text, problem, kind="wording")
        return None

    @property
    def fault(self) -> str:
        """The first failed check with its problem; "" if all pass."""
        return f"{self.finding.check}: {self.finding.problem}" if self.finding else ""


def begin_review(
    path: Path,
    form: type[Candidate[Own]],
    fault: Callable[[Candidate[Own]], str] = lambda candidate: "",
) -> tuple[Candidate[Own], ...]:
    """Reads the candidates of a review file like `read_review`; creates a missing file.

    Raises:
        UserError: the file cannot be written, or has damaged lines, which the message names.
    """
    if not path.exists():
        _replace(path, b"")
    return tuple(read_review(path, form, fault).values())


def read_review(
    path: Path,
    form: type[Candidate[Own]],
    fault: Callable[[Candidate[Own]], str] = lambda candidate: "",
) -> dict[int, Candidate[Own]]:
    """Reads the candidates of a review file, by line number.

    Args:
        path: the file.
        form: the class of its candidates, such as `Candidate[Rank]`.
        fault: a maker's own check of a candidate; returns "" if it passes.

    Raises:
        UserError: the file is missing, or has damaged lines, which the message names.
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise UserError(
            f"The review file {path} cannot be read ({error.strerror}); name one that is there."
        ) from None
    parsed = {n: _parsed(line, form) for n, line in enumerate(lines, start=1) if line.strip()}
    candidates = {n: result for n, result in parsed.items() if not isinstance(result, str)}
    damaged = [(n, problem) for n, problem in parsed.items() if isinstance(problem, str)]
    refuse(path, sorted([*damaged, *_repeated(candidates)]))
    refuse(path, ((n, fault(candidate)) for n, candidate in candidates.items()))
    return candidates


def append_review(path: Path, candidates: Iterable[Candidate[Own]]) -> None:
    """Appends candidates to a review file without changing the bytes before them.

    Raises:
        UserError: the file cannot be written.
    """
    before = path.read_bytes()
    end = b"" if before.endswith(b"\n") or not before else b"\n"
    _replace(path, before + end + b"".join(map(_line, candidates)))


def write_review(path: Path, candidates: Iterable[Candidate[Own]]) -> None:
    """Replaces a review file.

    Raises:
        UserError: the file cannot be written.
    """
    _replace(path, b"".join(map(_line, candidates)))


def merged(
    old: Sequence[Candidate[Own]],
    new: Iterable[Candidate[Own]],
    unfinished: Callable[[Candidate[Own]], bool] = lambda candidate: False,
) -> tuple[Candidate[Own], ...]:
    """Merges new candidates into those of a file; old candidates stay first.

    Args:
        old: the candidates of the file.
        new: the candidates of this run.
        unfinished: True for old candidates that their new versions replace while undecided.
    """
    made = {candidate.id: candidate for candidate in new}
    known = {candidate.id for candidate in old}
    kept_or_updated = (
        made.get(candidate.id, candidate)
        if candidate.decision == "open" and unfinished(candidate)
        else candidate
        for candidate in old
    )
    return (*kept_or_updated, *(candidate for id, candidate in made.items() if id not in known))


def refuse(path: Path, faults: Iterable[tuple[int, str]]) -> None:
    """Raises an error if lines of a review file have faults.

    Args:
        path: the file.
        faults: line numbers with their faults; "" for none.

    Raises:
        UserError: a line has a fault; the message names lines and faults.
    """
    messages = [f"{path}, line {number}: {fault}." for number, fault in faults if fault]
    if messages:
        more = [f"And {len(messages) - _SHOWN} more lines."] if len(messages) > _SHOWN else []
        raise UserError("\n".join([*messages[:_SHOWN], *more]))


def _parsed(line: bytes, form: type[Candidate[Own]]) -> Candidate[Own] | str:
    """Parses a line; returns its candidate or the problem."""
    try:
        return form.model_validate(orjson.loads(line))
    except orjson.JSONDecodeError as error:
        return f"not valid JSON ({error}); fix the line"
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(map(str, problem["loc"])) or "the line"
        return f"{field}: {problem['msg']}; fix the line"


def _repeated(candidates: Mapping[int, Candidate[Own]]) -> Iterator[tuple[int, str]]:
    first: dict[str, int] = {}
    for number, candidate in candidates.items():
        before = first.setdefault(candidate.id, number)
        if before != number:
            yield number, f"has the id of line {before}; change or remove one of them"


def _line(candidate: Candidate[Own]) -> bytes:
    """Serializes a candidate as a line, without details that have their defaults."""
    fields = candidate.model_dump(mode="json", exclude={"detail"})
    detail = candidate.detail.model_dump(mode="json", exclude_defaults=True)
    return orjson.dumps({**fields, "detail": detail}) + b"\n"


def _replace(path: Path, content: bytes) -> None:
    """Replaces a file atomically."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise UserError(
            f"The review file {path} cannot be written ({error.strerror}); name another one."
        ) from None
