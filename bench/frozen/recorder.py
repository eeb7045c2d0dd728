"""Runs a case's commands and records the output of each in a file."""

import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.frozen.cases import FOLDER, Case, Command, fill
from bench.frozen.endpoint import serve
from bench.frozen.flat_text import (
    Flat,
    digest,
    error_lines,
    json_lines,
    json_values,
    plain,
    table_cells,
    test_results,
    text_lines,
    word_lines,
    write_flat,
)
from bench.frozen.kills import record_kills
from bench.frozen.program import Ended, Program
from bench.frozen.runs import run_texts, trial_lines, trial_name, verdict_texts

RECORDINGS = FOLDER / "recordings"


@dataclass(frozen=True)
class Recorder:
    """Records cases of one program.

    Attributes:
        program: the program under test.
        to: the folder of the recording.
        upstream: the address of a model server for missing exchanges; "" replays only.
        count: the number of kills, which overrides the case's.
    """

    program: Program
    to: Path
    upstream: str = ""
    count: int | None = None

    def record(self, case: Case) -> float:
        """Records a case, replacing an earlier recording, and returns the seconds it took."""
        began = time.monotonic()
        shutil.rmtree(self.to / case.name, ignore_errors=True)
        shutil.rmtree(self.program.work / case.name, ignore_errors=True)
        (self.program.work / case.name).mkdir(parents=True)
        with self._endpoint(case) as address:
            checkout = str(self.program.checkout)
            fills = case.words | {"here": case.name, "endpoint": address, "checkout": checkout}
            for command in case.commands:
                self._command(case, command, fills)
        if case.kills:
            record_kills(self.program, case, self.to / case.name, self.count)
        return time.monotonic() - began

    def _command(self, case: Case, command: Command, fills: dict[str, str]) -> None:
        own = fills | {"exchanges": self._exchanges(case, command)}
        repeated = fill(command.trials, own)
        if not repeated:
            self._keep(case, command, own, command.name)
            return
        for line in trial_lines(self.program.work / repeated)[: command.most]:
            name = trial_name(line)
            label = f"{command.name} {name}".replace("/", "_").replace(":", "_")
            self._keep(case, command, own | {"trial": name}, label)

    def _keep(self, case: Case, command: Command, fills: dict[str, str], label: str) -> None:
        words = command.words(self.program.form, fills)
        ended = self.program.run(command.via, words)
        if ended.code not in (0, 1):
            print(f"{case.name}, {label}: exit {ended.code}: {ended.err[-300:]}", file=sys.stderr)
        folder = self.to / case.name
        write_flat(folder / f"{label}.json", self._output(command, ended))
        path = self.program.work / fill(command.run, fills)
        if command.run and (path / "run.json").is_file():
            texts = run_texts(path, self.program.places)
            kept = texts.keys() - set(filter(re.compile(command.leave_out or "$^").search, texts))
            write_flat(folder / f"{label} trials.json", {key: texts[key] for key in kept})
        if files := self._files(command, fills):
            write_flat(folder / f"{label} files.json", files)

    def _output(self, command: Command, ended: Ended) -> Flat:
        texts: Flat = {"exit": str(ended.code)}
        if command.keep == "tests":
            return texts | test_results(ended.out)
        if command.keep == "nothing":
            return texts
        texts |= error_lines(ended.err, self.program.places)
        if command.keep == "words":
            return texts | word_lines(ended.out, self.program.places, command.leave_out)
        if command.keep == "text" or not ended.out.strip():
            return texts | text_lines(ended.out, "out", self.program.places)
        kinds = {"json": json_values, "tables": table_cells}
        return texts | kinds[command.keep](ended.out, self.program.places)

    def _files(self, command: Command, fills: dict[str, str]) -> Flat:
        texts: Flat = {}
        for path, name in self._matching(command.bytes, fills):
            texts[f"{name} | bytes"] = digest(path.read_bytes())
        for path, name in self._matching(command.texts, fills):
            texts |= {f"{name} | {key}": text for key, text in self._text(path).items()}
        return texts

    def _matching(
        self, patterns: tuple[str, ...], fills: dict[str, str]
    ) -> Iterator[tuple[Path, str]]:
        """Files that match patterns in the work folder or, with `{checkout}/`, the repository."""
        for pattern in patterns:
            inner = pattern.removeprefix("{checkout}/")
            base = self.program.work if inner == pattern else self.program.checkout
            for path in sorted(base.glob(fill(inner, fills))):
                if path.is_file():
                    yield path, str(path.relative_to(base))

    def _text(self, path: Path) -> Flat:
        text = path.read_text()
        if path.name == "verdicts.jsonl":
            return verdict_texts(text, self.program.places)
        if path.suffix == ".json":
            return json_values(text, self.program.places)
        if path.suffix == ".jsonl":
            return json_lines(text, self.program.places)
        return text_lines(plain(text, self.program.places), "line", self.program.places)

    def _exchanges(self, case: Case, command: Command) -> str:
        """The option that replays the command's recording, or records it."""
        path = RECORDINGS / f"{case.name}-{command.name}.jsonl".replace(" ", "-")
        if self.upstream and not path.is_file():
            return f"--record '{path}'"
        copy = self.program.work / "recordings" / path.name
        copy.parent.mkdir(exist_ok=True)
        if path.is_file():
            shutil.copyfile(path, copy)
        return f"--replay recordings/{path.name}"

    @contextmanager
    def _endpoint(self, case: Case) -> Iterator[str]:
        """Serves recorded exchanges to commands that cannot replay, and yields the address."""
        if not any("{endpoint}" in command.args for command in case.commands):
            yield ""
            return
        path = RECORDINGS / f"{case.name}-endpoint.jsonl"
        with serve(path, "" if path.is_file() else self.upstream) as address:
            yield address
