"""The review file of every maker: JSON Lines, a candidate a line, for a person to decide.

A maker appends candidates, a person writes "accept" or "strike" over "open", and the maker
continues from there. Fields of one maker only are under `detail`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Generic, Literal, TypeAlias, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from wardround.authoring.findings import Finding
from wardround.core.errors import UserError
from wardround.core.private_files import write_whole

# Faults that are shown; the rest are counted.
_SHOWN = 10


class Detail(BaseModel):
    """Fields that only one maker's candidates have."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Own = TypeVar("Own", bound=Detail)
Decision: TypeAlias = Literal["open", "accept", "strike"]


def _as_decision(cell: object) -> object:
    return (cell.strip().lower() or "open") if isinstance(cell, str) else cell


class Candidate(BaseModel, Generic[Own]):
    """A wording, ambiguity or follow-up that a person may accept for made tasks.

    Attributes:
        decision: A person's; "open" until there is one.
        id: Its name, which stays the same whatever a person edits.
        kind: Its kind, in its maker's words.
        changes: The id of the template or task that it changes.
        text: The question or request as it would be asked.
        checks: The problem that each check found; "" for a check that it passed.
        by: The person who decided.
        note: A person's remark.
        detail: The maker's own fields.
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
        """The first check that it fails; None if it passes all."""
        for check, problem in self.checks.items():
            if problem:
                return Finding(self.changes, check, self.text, problem, kind="wording")
        return None

    @property
    def fault(self) -> str:
        """The first check that it fails, with the problem; "" if it passes all."""
        return f"{self.finding.check}: {self.finding.problem}" if self.finding else ""


def begin_review(
    path: Path,
    form: type[Candidate[Own]],
    fault: Callable[[Candidate[Own]], str] = lambda candidate: "",
) -> tuple[Candidate[Own], ...]:
    """Reads the candidates of a review file as `read_review` does; makes it if there is none.

    Raises:
        UserError: The file cannot be written, or lines of it are damaged; they are named.
    """
    if not path.exists():
        _replace(path, b"")
    return tuple(read_review(path, form, fault).values())


def read_review(
    path: Path,
    form: type[Candidate[Own]],
    fault: Callable[[Candidate[Own]], str] = lambda candidate: "",
) -> dict[int, Candidate[Own]]:
    """Reads the candidates of a review file, by their line in it.

    Args:
        path: The file.
        form: The class of its candidates, such as `Candidate[Rank]`.
        fault: A maker's own check of a line; "" if it passes.

    Raises:
        UserError: The file is missing, or lines of it are damaged; they are named.
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise UserError(
            f"The review file {path} cannot be read ({error.strerror}); name one that is there."
        ) from None
    parsed = {n: _parsed(line, form) for n, line in enumerate(lines, start=1) if line.strip()}
    candidates = {n: each for n, each in parsed.items() if not isinstance(each, str)}
    damaged = [(n, each) for n, each in parsed.items() if isinstance(each, str)]
    refuse(path, sorted([*damaged, *_repeated(candidates)]))
    refuse(path, ((n, fault(candidate)) for n, candidate in candidates.items()))
    return candidates


def append_review(path: Path, candidates: Iterable[Candidate[Own]]) -> None:
    """Adds candidates at the end of a review file; the bytes before them stay as they are.

    Raises:
        UserError: The file cannot be written.
    """
    before = path.read_bytes()
    end = b"" if before.endswith(b"\n") or not before else b"\n"
    _replace(path, before + end + b"".join(map(_line, candidates)))


def write_review(path: Path, candidates: Iterable[Candidate[Own]]) -> None:
    """Replaces a review file.

    Raises:
        UserError: The file cannot be written.
    """
    _replace(path, b"".join(map(_line, candidates)))


def merged(
    old: Sequence[Candidate[Own]],
    new: Iterable[Candidate[Own]],
    unfinished: Callable[[Candidate[Own]], bool] = lambda candidate: False,
) -> tuple[Candidate[Own], ...]:
    """Returns the candidates of a file, and after them the new ones.

    Args:
        old: The candidates of the file.
        new: Candidates that were made again.
        unfinished: True for an old candidate that gives way to its new version, if nobody has
            decided it.
    """
    made = {candidate.id: candidate for candidate in new}
    known = {candidate.id for candidate in old}
    stays = (
        made.get(candidate.id, candidate)
        if candidate.decision == "open" and unfinished(candidate)
        else candidate
        for candidate in old
    )
    return (*stays, *(candidate for id, candidate in made.items() if id not in known))


def refuse(path: Path, faults: Iterable[tuple[int, str]]) -> None:
    """Raises if lines of a review file have faults.

    Args:
        path: The file.
        faults: Line numbers, each with its problem; "" for none.

    Raises:
        UserError: It names each line and its problem.
    """
    wrong = [f"{path}, line {number}: {fault}." for number, fault in faults if fault]
    if wrong:
        more = [f"And {len(wrong) - _SHOWN} more lines."] if len(wrong) > _SHOWN else []
        raise UserError("\n".join([*wrong[:_SHOWN], *more]))


def _parsed(line: bytes, form: type[Candidate[Own]]) -> Candidate[Own] | str:
    """The candidate of a line, or its problem."""
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
    """The candidate as a line; details that have their defaults are left out."""
    fields = candidate.model_dump(mode="json", exclude={"detail"})
    detail = candidate.detail.model_dump(mode="json", exclude_defaults=True)
    return orjson.dumps({**fields, "detail": detail}) + b"\n"


def _replace(path: Path, content: bytes) -> None:
    """Puts a whole file in the place of the old one at once."""
    try:
        write_whole(path, content)
    except OSError as error:
        raise UserError(
            f"The review file {path} cannot be written ({error.strerror}); name another one."
        ) from None
