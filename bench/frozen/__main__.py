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
    """Runs the subcommand and returns the exit status."""
    arguments = _arguments()
    if arguments.command == "record":
        return _record(arguments)
    if arguments.command == "exchanges":
        return _record_exchanges(arguments)
    if arguments.command == "digest":
        write_reference(arguments.recording, REFERENCE)
        return 0
    return _compare(arguments.before, arguments.after)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.frozen", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="run the cases and write their output")
    exchanges = commands.add_parser("exchanges", help="record missing exchanges with a real model")
    for command in (record, exchanges):
        command.add_argument("--wardround", type=Path, required=True, help="a checkout's command")
        command.add_argument("--form", choices=("before", "now"), default="now")
        command.add_argument("--only", nargs="+", default=[], help="cases, or patterns of them")
        command.add_argument("--work", type=Path, help="a work folder, kept [a temporary one]")
    record.add_argument("--to", type=Path, required=True, help="the folder of the recording")
    record.add_argument("--all", action="store_true", help="slow cases too")
    record.add_argument("--kills", type=int, help="number of kills in each case of kills")
    exchanges.add_argument(
        "--upstream", required=True, help="an OpenAI-compatible server's address"
    )
    compare = commands.add_parser("compare", help="print differences; exit 1 if there are any")
    compare.add_argument("before", type=Path, help="a recording, or `reference`")
    compare.add_argument("after", type=Path)
    digest = commands.add_parser("digest", help="write the checked-in digests of a recording")
    digest.add_argument("recording", type=Path)
    return parser.parse_args()


def _record(arguments: argparse.Namespace) -> int:
    cases = chosen(read_cases(), arguments.only, slow=arguments.all)
    with _work(arguments.work) as work:
        recorder = Recorder(
            _program(arguments, work), arguments.to.resolve(), count=arguments.kills
        )
        _record_all(recorder, cases)
    return 0


def _record_exchanges(arguments: argparse.Namespace) -> int:
    """Records exchanges; runs model-free commands too, since later ones may need their results."""
    cases = chosen(read_cases(), arguments.only, slow=True)
    names = {name for case in cases if case.asks_model for name in (*case.needs, case.name)}
    with _work(arguments.work) as work, tempfile.TemporaryDirectory() as to:
        recorder = Recorder(_program(arguments, work), Path(to), upstream=arguments.upstream)
        _record_all(recorder, [case for case in cases if case.name in names])
    return 0


def _record_all(recorder: Recorder, cases: list[Case]) -> None:
    for case in cases:
        print(f"{case.name}: {recorder.record(case):.0f} s", flush=True)


def _program(arguments: argparse.Namespace, work: Path) -> Program:
    return Program(arguments.wardround.absolute(), work, arguments.form)


@contextmanager
def _work(folder: Path | None) -> Iterator[Path]:
    """Yields the folder that commands run in, readable for a database server's user."""
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="frozen-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name).resolve()


def _compare(before: Path, after: Path) -> int:
    """Compares the cases of both recordings, and lists those that only one has."""
    digests = str(before) == "reference" or before.resolve() == REFERENCE
    old = {path.stem if digests else path.name for path in _cases(REFERENCE if digests else before)}
    new = {path.name for path in _cases(after)}
    differing = 0
    for case in sorted(old & new):
        differing += _show(case, None if digests else before, after)
    for case in sorted(old ^ new):
        print(f"{case}: only in {'before' if case in old else 'after'}")
    print(f"{len(old & new)} cases compared, {differing} differ")
    return 1 if differing or not old & new else 0


def _cases(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir() or path.suffix == ".json"]


def _show(case: str, before: Path | None, after: Path) -> bool:
    """Prints the differences of a case; returns True if there are any."""
    if before is None:
        case_differences = _digest_differences(case, after)
        notes: list[str] = []
    else:
        renamed = read_renamed()
        case_differences = list(differences(case, before / case, after / case, renamed))
        notes = list(measured(case, before / case, after / case, renamed))
    print(f"{case}: {f'differs in {len(case_differences)} places' if case_differences else 'same'}")
    for difference in case_differences[:_SHOWN]:
        print("\n".join(difference.lines()))
    print("\n".join(notes), end="\n" if notes else "")
    return bool(case_differences)


def _digest_differences(case: str, after: Path) -> list[Difference]:
    """Differences from the checked-in digests, by trial, table or file."""
    old = read_flat(REFERENCE / f"{case}.json")
    new = case_digests(after / case)
    return [
        Difference("", key, old.get(key), new.get(key))
        for key in sorted(old.keys() | new.keys())
        if old.get(key) != new.get(key)
    ]


if __name__ == "__main__":
    sys.exit(main())
