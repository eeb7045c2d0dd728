"""Checks that a run is as wardround wrote it: each line, and the end of each file."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from wardround.core.line_chain import CheckedLine, Ending
from wardround.core.record import ByteRange
from wardround.core.run_document import (
    SEAL,
    SETTINGS,
    TRAJECTORIES,
    TRIALS,
    VERDICTS,
    Signer,
    read_document,
)
from wardround.core.run_lines import checked_lines, sound_size

LINE_FILES = (TRIALS, TRAJECTORIES, VERDICTS)

TrialKey: TypeAlias = tuple[str, int]

_CHANGED = "was changed, or lines before it were removed"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A place where a run is not as it was written.

    Attributes:
        where: the file, with the number of the line if it is one.
        problem: the difference.
        trial: the trial concerned; None if it is unknown or there is none.
    """

    where: str
    problem: str
    trial: TrialKey | None = None

    def __str__(self) -> str:
        """The mismatch as a line of text."""
        trial = f"{self.trial[0]}:{self.trial[1]}: " if self.trial else ""
        return f"{trial}{self.where} {self.problem}"


@dataclass(frozen=True, slots=True)
class RunCheck:
    """The result of checking a run.

    Attributes:
        verified: True if the run was made with the user's key; otherwise nothing was checked.
        sealed: True if its writer closed it, so that a removed end is noticed.
        mismatches: the places where it is not as it was written.
        lost: trials of which a trajectory is not as it was written.
        damaged: those, and trials of which a verdict is not as it was written.
        endings: the ends of its files by name.
    """

    verified: bool
    sealed: bool = False
    mismatches: tuple[Mismatch, ...] = ()
    lost: frozenset[TrialKey] = frozenset()
    damaged: frozenset[TrialKey] = frozenset()
    endings: Mapping[str, Ending] = field(default_factory=dict)


def check_run(folder: Path) -> RunCheck:
    """Checks all files of a run.

    Raises:
        UserError: the folder is not a run.
    """
    run = read_document(folder)
    signer = run.signer
    if signer is None:
        return RunCheck(verified=False)
    seal = _content(folder / SEAL)
    # Trials are read first, because what they refer to was written before.
    files = {name: _checked(folder / name, signer) for name in LINE_FILES}
    of_trials = list(files[TRIALS].mismatches())
    of_trajectories = list(_of_trajectories(files[TRIALS], files[TRAJECTORIES]))
    of_verdicts = list(files[VERDICTS].mismatches())
    endings = {name: file.ending for name, file in files.items()}
    # If the seal changed meanwhile, the run is being written.
    sealed = seal is not None and seal == _content(folder / SEAL)
    of_document = [] if run.genuine else [Mismatch(SETTINGS, "was changed")]
    of_seal = list(_of_seal(signer, seal or b"", files)) if sealed else []
    return RunCheck(
        verified=True,
        sealed=sealed,
        mismatches=(*of_document, *of_trials, *of_trajectories, *of_verdicts, *of_seal),
        lost=frozenset(m.trial for m in of_trajectories if m.trial),
        damaged=frozenset(m.trial for m in (*of_trajectories, *of_verdicts) if m.trial),
        endings=endings,
    )


def sealed_document(signer: Signer, endings: Mapping[str, Ending]) -> bytes:
    """The content of a seal: the ends of all files, authenticated."""
    return signer.chain(SEAL).signed_document(
        {name: asdict(ending) for name, ending in endings.items()}
    )


@dataclass(frozen=True, slots=True)
class _CheckedFile:
    """A file after its check.

    Attributes:
        name: its name.
        ranges: its genuine lines.
        changed: the others, with their numbers.
        documents: the genuine lines of trials as JSON values.
        ending: its end.
        damaged: the bytes after its last complete line.
    """

    name: str
    ranges: frozenset[ByteRange]
    changed: tuple[tuple[int, CheckedLine], ...]
    documents: tuple[Mapping[str, Any], ...]
    ending: Ending
    damaged: int

    def mismatches(self) -> Iterator[Mismatch]:
        """The lines that were changed, each with the trial that it names."""
        for number, line in self.changed:
            yield Mismatch(f"{self.name}, line {number},", _CHANGED, _named_trial(line.text))


def _checked(path: Path, signer: Signer) -> _CheckedFile:
    chain = signer.chain(path.name)
    ranges, changed, documents = [], [], []
    size = sound_size(path)
    for number, line in enumerate(checked_lines(path, size, chain), start=1):
        if not line.genuine:
            changed.append((number, line))
            continue
        ranges.append(ByteRange(line.origin, len(line.text)))
        if path.name == TRIALS:
            documents.append(orjson.loads(line.text))
    return _CheckedFile(
        path.name,
        frozenset(ranges),
        tuple(changed),
        tuple(documents),
        chain.ending,
        path.stat().st_size - size if path.is_file() else 0,
    )


def _of_trajectories(trials: _CheckedFile, trajectories: _CheckedFile) -> Iterator[Mismatch]:
    """The trajectories that were changed, and those that trials refer to and are not there."""
    newest = {(trial["task"], trial["trial"]): trial for trial in trials.documents}
    wanted = {
        ByteRange(**span): key
        for key, trial in newest.items()
        for span in (trial["trajectory"], *(each["trajectory"] for each in trial["rejected"]))
    }
    lost = {span: key for span, key in wanted.items() if span not in trajectories.ranges}
    at = {span.offset: key for span, key in lost.items()}
    for number, line in trajectories.changed:
        trial = at.pop(line.origin, None)
        yield Mismatch(f"{trajectories.name}, line {number},", _CHANGED, trial)
    for offset, trial in at.items():
        yield Mismatch(f"{trajectories.name}, byte {offset},", "is not its trajectory", trial)


def _of_seal(
    signer: Signer, content: bytes, files: Mapping[str, _CheckedFile]
) -> Iterator[Mismatch]:
    seal = signer.chain(SEAL).checked_document(content)
    if seal is None:
        yield Mismatch(SEAL, "was changed")
        return
    for name, file in files.items():
        if seal[name] != asdict(file.ending):
            sealed = seal[name]["lines"]
            yield Mismatch(
                name, f"has {file.ending.lines} genuine lines and was sealed with {sealed}"
            )
        elif file.damaged:
            yield Mismatch(name, f"has {file.damaged} bytes after its sealed end")


def _named_trial(line: bytes) -> TrialKey | None:
    """The trial that a changed line names, if it can still be read."""
    try:
        document = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    match document:
        case {"task": str(task), "trial": int(trial)}:
            return (task, trial)
    return None


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
