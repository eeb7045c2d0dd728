"""Fills the cells of a suite, the scenarios one after another or in processes."""

import gc
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import current_process, get_context
from pathlib import Path
from typing import Any

from wardround.authoring.assist.candidates.candidate_record import CandidateRecord, SurveyedPatient
from wardround.authoring.assist.candidates.prefilter import Candidate
from wardround.authoring.assist.coverage import ScenarioSessions
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.maker_models import NO_MODELS, MakerModels
from wardround.authoring.assist.planning.cells import Cell, Forms
from wardround.authoring.assist.progress import Filled, shuffled
from wardround.authoring.assist.slots import SlotFiller
from wardround.authoring.assist.suite_files import Entry
from wardround.benchmarks.assist.sessions import SCENARIOS, Scenario, Subtype
from wardround.core.process_pool import start_worker
from wardround.ehr.database import open_database
from wardround.ehr.fhir.record import Record

# Sessions that are not worth the start of processes, which takes some seconds.
_FEW = 24


@dataclass(frozen=True, slots=True)
class Source:
    """The patients that cells are filled from; a process can be given it.

    Attributes:
        database: the tables with the notes.
        record: the FHIR record of the candidates.
        candidates: the candidates, in an order of the seed.
        seed: the seed of all draws.
        discrepancies: patients of a made record may differ from their chart.
    """

    database: str
    record: Path
    candidates: Sequence[Candidate]
    seed: int
    discrepancies: bool


def fillers(
    record: CandidateRecord,
    chosen: Sequence[Candidate],
    seed: int,
    models: MakerModels = NO_MODELS,
    *,
    discrepancies: bool,
) -> dict[Scenario, SlotFiller]:
    """A filler for each scenario; none knows what the others use."""
    return {
        scenario: SlotFiller(
            record, shuffled(chosen, scenario, seed), seed, discrepancies, models=models
        )
        for scenario in SCENARIOS
    }


def filled_cells(
    source: Source, cells: Sequence[Cell], entries: Sequence[Entry], models: MakerModels
) -> Iterator[Entry]:
    """Fills the cells that no entry is about, and yields an entry for each.

    The order of scenarios and the number of processes change no session.
    """
    filled_numbers = {entry["cell"] for entry in entries}
    numbers = [number for number in filling_order(cells) if number not in filled_numbers]
    if len(numbers) <= _FEW or models != NO_MODELS or current_process().daemon:
        yield from _filled_here(source, cells, entries, numbers, models)
    else:
        yield from _filled_in_processes(source, cells, entries, numbers)


def filling_order(cells: Sequence[Cell]) -> list[int]:
    """The numbers of the cells by scenario, those that need the most of a record first."""

    def need(number: int) -> tuple[int, int, int]:
        cell = cells[number]
        return SCENARIOS.index(cell.scenario), -cell.arc.count("CR"), -cell.tier

    return sorted(range(len(cells)), key=need)


def filled_of(entry: Entry, candidates: Mapping[int, Candidate]) -> Filled:
    """The outcome of a cell in an entry.

    Args:
        entry: the entry.
        candidates: the candidates by patient.
    """
    line, counts = entry["line"], GateCounts.from_json(entry["gates"])
    candidate = candidates[line["subject_id"]] if line else None
    lists = ("called", "avoided", "vain", "retold")
    called, avoided, vain, retold = (tuple(entry[name]) for name in lists)
    traded = (entry["traded"][0], _forms(entry["traded"][1])) if entry["traded"] else None
    story = entry["story"]
    return Filled(candidate, line, called, story, avoided, vain, retold, counts, traded)


def _forms(listed: Sequence[Subtype]) -> Forms:
    second, third, fourth = listed
    return second, third, fourth


def _resumed(
    source: Source,
    record: CandidateRecord,
    models: MakerModels,
    cells: Sequence[Cell],
    entries: Sequence[Entry],
) -> dict[Scenario, ScenarioSessions]:
    """The sessions of each scenario, with the cells that were filled before counted as used."""
    chosen, seed = source.candidates, source.seed
    by_scenario = fillers(record, chosen, seed, models, discrepancies=source.discrepancies)
    sessions = {each: ScenarioSessions(each, filler, cells) for each, filler in by_scenario.items()}
    patients = {each.subject_id: each for each in chosen}
    for entry in entries:
        if (number := entry["cell"]) is None:
            for scenario, flagged in entry["flagged"].items():
                by_scenario[scenario].progress.barred.update(flagged)
            for planned, forms in entry["forms"]:
                sessions[cells[planned].scenario].plan(planned, _forms(forms))
        else:
            sessions[cells[number].scenario].resume(
                number, filled_of(entry, patients), entry.get("cause", "")
            )
    return sessions


def _filled_here(
    source: Source,
    cells: Sequence[Cell],
    entries: Sequence[Entry],
    numbers: Sequence[int],
    models: MakerModels,
) -> Iterator[Entry]:
    with closing(open_database(source.database)) as database:
        record = CandidateRecord(Record.open(source.record), database)
        sessions = _resumed(source, record, models, cells, entries)
        yield from _filled(sessions.values(), numbers)


def _filled(scenarios: Iterable[ScenarioSessions], numbers: Sequence[int]) -> Iterator[Entry]:
    """The entries of some scenarios, one after another."""
    for sessions in scenarios:
        for number in (
            each for each in numbers if sessions.cells[each].scenario == sessions.scenario
        ):
            yield _entry(sessions, number, sessions.fill(number))
        yield from _filled_again(sessions)


def _filled_in_processes(
    source: Source, cells: Sequence[Cell], entries: Sequence[Entry], numbers: Sequence[int]
) -> Iterator[Entry]:
    """At most one process for each core; one that is done takes the next scenario.

    Each surveys a patient once, and has one cell at a time, so that an interrupt ends it within a
    session.
    """
    workers = min(len(SCENARIOS), os.cpu_count() or 1)
    start = gc.get_threshold(), source, cells, entries, numbers
    waiting = iter(SCENARIOS)
    with ExitStack() as stack:
        pools = [
            stack.enter_context(ProcessPoolExecutor(1, get_context("spawn"), _start, start))
            for _ in range(workers)
        ]
        tasks = [(pool, next(waiting)) for pool in pools]
        running = {pool.submit(_next_entry, scenario): (pool, scenario) for pool, scenario in tasks}
        while running:
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                pool, scenario = running.pop(future)
                entry = future.result()
                following = scenario if entry else next(waiting, None)
                if following:
                    running[pool.submit(_next_entry, following)] = pool, following
                if entry:
                    yield entry


# The entries that a process is still to make, by scenario.
_left: dict[Scenario, Iterator[Entry]] = {}


def _start(
    thresholds: tuple[int, int, int],
    source: Source,
    cells: Sequence[Cell],
    entries: Sequence[Entry],
    numbers: Sequence[int],
) -> None:
    start_worker(thresholds)
    record = CandidateRecord(Record.open(source.record), open_database(source.database))
    sessions = _resumed(source, record, NO_MODELS, cells, entries)
    _left.update({each: _filled([sessions[each]], numbers) for each in SCENARIOS})


def _next_entry(scenario: Scenario) -> Entry | None:
    """The next entry of a scenario; None at the end."""
    return next(_left[scenario], None)


def _filled_again(sessions: ScenarioSessions) -> Iterator[Entry]:
    """The entries of the cells that are filled again, each with the cause."""
    for number, cause, filled in sessions.fill_again():
        yield {**_entry(sessions, number, filled), "cause": cause}


def _entry(sessions: ScenarioSessions, number: int, filled: Filled) -> Entry:
    """A filled cell as an entry of the journal, with the snapshot of its patient."""
    shot: dict[str, Any] | None = None
    if filled.candidate and filled.line:
        clock = datetime.fromisoformat(filled.line["clock"]).replace(tzinfo=None)
        shot = _snapshot(sessions.filler.record.patient(filled.candidate, clock))
    return {
        "cell": number,
        "line": filled.line,
        "called": filled.called,
        "story": filled.story,
        "avoided": filled.avoided,
        "vain": filled.vain,
        "retold": filled.retold,
        "gates": filled.counts.to_json(),
        "traded": filled.traded,
        "snapshot": shot,
    }


def _snapshot(patient: SurveyedPatient) -> dict[str, Any]:
    """A patient's snapshot: the findings by entity, and the rules that are met."""
    items: dict[str, list[str]] = {}
    for finding in patient.findings:
        items.setdefault(f"{finding.entity.kind}: {finding.entity.name}".strip(": "), []).append(
            finding.kind
        )
    desk = patient.survey.desk
    return {
        "subject_id": desk.subject_id,
        "hadm_id": desk.hadm_id,
        "clock": desk.clock.isoformat(),
        "queryable_items": items,
        "rules": sorted({bound.rule.name for bound in patient.rules}),
    }
