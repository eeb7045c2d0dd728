"""Fills the cells of a suite, the scenarios one after another or in processes."""

import gc
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import current_process, get_context
from pathlib import Path
from typing import Any, TypeAlias

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

# Fills some cells of a scenario.
Round: TypeAlias = Callable[[ScenarioSessions], Iterator[Entry]]
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
    is_small = len(cells) - len(filled_numbers - {None}) <= _FEW
    if is_small or models != NO_MODELS or current_process().daemon:
        yield from _filled_here(source, cells, entries, models)
    else:
        yield from _filled_in_processes(source, cells, entries)


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
    source: Source, cells: Sequence[Cell], entries: Sequence[Entry], models: MakerModels
) -> Iterator[Entry]:
    with closing(open_database(source.database)) as database:
        record = CandidateRecord(Record.open(source.record), database)
        for sessions in _resumed(source, record, models, cells, entries).values():
            yield from _filled_first(sessions)
            yield from _filled_again(sessions)


def _filled_in_processes(
    source: Source, cells: Sequence[Cell], entries: Sequence[Entry]
) -> Iterator[Entry]:
    """At most one process for each core; one that is done takes a round of another scenario.

    The scenario that tried the most patients in vain comes next, since its round is likely to be
    the longest.
    Each process surveys a patient once, and has one cell at a time, so that an interrupt ends it
    within a session.
    """
    workers = min(len(SCENARIOS), os.cpu_count() or 1)
    start = gc.get_threshold(), source, cells
    made = [*entries]
    waiting: list[tuple[Scenario, Round]] = [(each, _filled_first) for each in SCENARIOS]
    running: dict[Future[Entry | None], tuple[ProcessPoolExecutor, Scenario, Round]] = {}
    with ExitStack() as stack:
        idle = [
            stack.enter_context(ProcessPoolExecutor(1, get_context("spawn"), _start, start))
            for _ in range(workers)
        ]
        while running or waiting:
            vain = _tried_in_vain(cells, made)
            waiting.sort(key=lambda each: vain[each[0]], reverse=True)
            while idle and waiting:
                pool, (scenario, round) = idle.pop(), waiting.pop(0)
                running[pool.submit(_begin, scenario, round, [*made])] = pool, scenario, round
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                pool, scenario, round = running.pop(future)
                if entry := future.result():
                    running[pool.submit(_next_entry)] = pool, scenario, round
                    made.append(entry)
                    yield entry
                else:
                    idle.append(pool)
                    if round is _filled_first:
                        waiting.append((scenario, _filled_again))


def _tried_in_vain(cells: Sequence[Cell], entries: Sequence[Entry]) -> Counter[Scenario]:
    """The number of patients that were tried in vain, by scenario."""
    vain = Counter[Scenario]()
    for entry in entries:
        if (number := entry["cell"]) is not None:
            vain[cells[number].scenario] += len(entry["vain"])
    return vain


# The source of a process with the opened record and the cells, and the rest of its round.
_given: list[tuple[Source, CandidateRecord, Sequence[Cell]]] = []
_left: deque[Iterator[Entry]] = deque(maxlen=1)


def _start(thresholds: tuple[int, int, int], source: Source, cells: Sequence[Cell]) -> None:
    start_worker(thresholds)
    record = CandidateRecord(Record.open(source.record), open_database(source.database))
    _given.append((source, record, cells))


def _begin(scenario: Scenario, round: Round, entries: Sequence[Entry]) -> Entry | None:
    """The first entry of a round, after those that were made before."""
    [(source, record, cells)] = _given
    _left.append(round(_resumed(source, record, NO_MODELS, cells, entries)[scenario]))
    return _next_entry()


def _next_entry() -> Entry | None:
    """The next entry of the round; None at the end."""
    return next(_left[0], None)


def _filled_first(sessions: ScenarioSessions) -> Iterator[Entry]:
    """The entries of the cells that were never filled."""
    for number in filling_order(sessions.cells):
        if sessions.cells[number].scenario == sessions.scenario and number not in sessions.filled:
            yield _entry(sessions, number, sessions.fill(number))


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
