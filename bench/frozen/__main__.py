"""`python -m bench.frozen`: record a program's behaviour, and compare two recordings."""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.frozen.cases import FOLDER, Case, chosen, read_cases
from bench.frozen.comparison import Difference, differences, measured, read_renamed
from bench.frozen.digests import case_digests, write_reference
from bench.frozen.flat_text import read_flat
from bench.frozen.program import Program
from bench.frozen.recorder import Recorder

REFERENCE = FOLDER / "reference"
_SHOWN = 5


def main() -> int:
    """Does what the command line says."""
    given = _arguments()
    if given.command == "record":
        return _record(given)
    if given.command == "exchanges":
        return _record_exchanges(given)
    if given.command == "digest":
        write_reference(given.recording, REFERENCE)
        return 0
    return _compare(given.before, given.after)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.frozen", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="run the cases and write what came of them")
    again = commands.add_parser(
        "exchanges", help="ask a real model for recordings that are missing"
    )
    for each in (record, again):
        each.add_argument("--wardround", type=Path, required=True, help="a checkout's command")
        each.add_argument("--form", choices=("before", "now"), default="now")
        each.add_argument("--only", nargs="+", default=[], help="cases, or patterns of them")
        each.add_argument("--work", type=Path, help="a folder to work in, kept [a temporary one]")
    record.add_argument("--to", type=Path, required=True, help="the folder of the recording")
    record.add_argument("--all", action="store_true", help="slow cases too")
    record.add_argument("--kills", type=int, help="kills a case of kills makes")
    again.add_argument("--upstream", required=True, help="an OpenAI-compatible server's address")
    compare = commands.add_parser("compare", help="tell what differs; exit 1 if anything does")
    compare.add_argument("before", type=Path, help="a recording, or `reference`")
    compare.add_argument("after", type=Path)
    digest = commands.add_parser("digest", help="write the checked-in digests of a recording")
    digest.add_argument("recording", type=Path)
    return parser.parse_args()


def _record(given: argparse.Namespace) -> int:
    cases = chosen(read_cases(), given.only, slow=given.all)
    with _work(given.work) as work:
        recorder = Recorder(_program(given, work), given.to.resolve(), count=given.kills)
        _record_all(recorder, cases)
    return 0


def _record_exchanges(given: argparse.Namespace) -> int:
    """Commands that use no model run too, since later commands may need their results."""
    cases = chosen(read_cases(), given.only, slow=True)
    names = {name for case in cases if case.asks_model for name in (*case.needs, case.name)}
    with _work(given.work) as work, tempfile.TemporaryDirectory() as to:
        recorder = Recorder(_program(given, work), Path(to), upstream=given.upstream)
        _record_all(recorder, [case for case in cases if case.name in names])
    return 0


def _record_all(recorder: Recorder, cases: list[Case]) -> None:
    for case in cases:
        print(f"{case.name}: {recorder.record(case):.0f} s", flush=True)


def _program(given: argparse.Namespace, work: Path) -> Program:
    return Program(given.wardround.absolute(), work, given.form)


@contextmanager
def _work(folder: Path | None) -> Iterator[Path]:
    """The folder that commands run in; a database server of another user must reach it."""
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="frozen-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


def _compare(before: Path, after: Path) -> int:
    """Compares the cases that `after` holds, and names those that it lacks."""
    digests = str(before) == "reference" or before.resolve() == REFERENCE
    old = {path.stem if digests else path.name for path in _cases(REFERENCE if digests else before)}
    new = {path.name for path in _cases(after)}
    wrong = 0
    for case in sorted(old & new):
        wrong += _show(case, None if digests else before, after)
    for case in sorted(old ^ new):
        print(f"{case}: only in {'before' if case in old else 'after'}")
    print(f"{len(old & new)} cases compared, {wrong} differ")
    return 1 if wrong or not old & new else 0


def _cases(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir() or path.suffix == ".json"]


def _show(case: str, before: Path | None, after: Path) -> bool:
    """Prints how a case compares; whether it differs."""
    if before is None:
        found = _digest_differences(case, after)
        notes: list[str] = []
    else:
        renamed = read_renamed()
        found = list(differences(case, before / case, after / case, renamed))
        notes = list(measured(case, before / case, after / case, renamed))
    print(f"{case}: {f'differs in {len(found)} places' if found else 'same'}")
    for difference in found[:_SHOWN]:
        print("\n".join(difference.lines()))
    print("\n".join(notes), end="\n" if notes else "")
    return bool(found)


def _digest_differences(case: str, after: Path) -> list[Difference]:
    """The differences from the checked-in digests, by trial, table or file."""
    old = read_flat(REFERENCE / f"{case}.json")
    new = case_digests(after / case)
    return [
        Difference("", key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


if __name__ == "__main__":
    sys.exit(main())
