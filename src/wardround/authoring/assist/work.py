"""Makes PhysAssistBench sessions for `tasks make`."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from wardround.authoring.assist.candidates.candidate_record import (
    CandidateRecord,
    SurveyedPatient,
    converted,
)
from wardround.authoring.assist.candidates.prefilter import Candidate, candidates
from wardround.authoring.assist.candidates.shortlist import shortlist
from wardround.authoring.assist.declaration import MakeOptions
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.maker_models import NO_MODELS, MakerModels, maker_models
from wardround.authoring.assist.planning.cells import TIERS, Cell, cells
from wardround.authoring.assist.session_lines import Line
from wardround.authoring.assist.slots import Filled, SlotFiller, shuffled, snapshot, use
from wardround.authoring.assist.suite_files import SuiteFolder
from wardround.authoring.rewording.usage import spent
from wardround.benchmarks.assist.tasks import SCENARIOS, TURNS, Scenario
from wardround.core.benchmark import Summary, Table
from wardround.core.trajectory import Requested
from wardround.core.work import Progress, WorkContext, WorkResult
from wardround.ehr.database import open_database
from wardround.models.roles import Models


@dataclass(frozen=True, slots=True)
class MadeSessions:
    """The sessions that were written to a folder.

    Attributes:
        folder: the folder.
        filled: the outcome for each cell, in order.
    """

    folder: SuiteFolder
    filled: Sequence[Filled]

    @property
    def lines(self) -> list[Line]:
        """The sessions; a cell without a patient has none."""
        return [each.line for each in self.filled if each.line]

    @property
    def patients(self) -> list[Candidate]:
        """The patients of the sessions."""
        found = {
            each.candidate.subject_id: each.candidate for each in self.filled if each.candidate
        }
        return list(found.values())

    @property
    def counts(self) -> GateCounts:
        """The counts of all gates."""
        return GateCounts.total(each.counts for each in self.filled)


def make(options: MakeOptions, context: WorkContext[Models]) -> WorkResult:
    """Makes sessions about the patients of a database.

    Raises:
        UserError: The folder cannot be used, or the database lacks what sessions are made of,
            or the checker of a writer has no model.
    """
    requests = list[Requested]()
    wanted = list(cells(options.size))
    with maker_models(context.models, options.seed, requests.append) as models:
        made = make_sessions(options, wanted, models, context.progress)
    return _result(made, wanted, requests)


def make_sessions(
    options: MakeOptions, wanted: Sequence[Cell], models: MakerModels, progress: Progress
) -> MadeSessions:
    """Makes a session for each cell that has a patient, and writes them with their FHIR record.

    Raises:
        UserError: The folder cannot be used, or the database lacks what sessions are made of.
    """
    folder = SuiteFolder(options.to)
    with closing(open_database(options.database)) as database:
        settings = {
            "database": database.fingerprint(),
            **options.model_dump(mode="json", exclude={"to", "database"}),
            "models": models.names,
        }
        # A database that serves no session leaves no folder behind.
        chosen = shortlist(candidates(database, options.seed), wanted)
        entries = folder.begin(settings)
        progress(0, len(wanted), "sessions")
        chart = converted(folder.record, options.database, chosen)
        record = CandidateRecord(chart, database)
        makers = fillers(record, chosen, options.seed, models, discrepancies=options.discrepancies)
        made = _resumed(makers, wanted, entries)
        for place in filling_order(wanted)[len(made) :]:
            cell = wanted[place]
            made[place] = makers[cell.scenario].fill(place, cell)
            folder.append(_entry(place, made[place]))
            progress(len(made), len(wanted), "sessions")
        return _finished(folder, made, record)


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


def filling_order(wanted: Sequence[Cell]) -> list[int]:
    """The numbers of the cells by scenario, those that need the most of a record first."""

    def need(place: int) -> tuple[int, int, int]:
        cell = wanted[place]
        return SCENARIOS.index(cell.scenario), -cell.arc.count("CR"), -cell.tier

    return sorted(range(len(wanted)), key=need)


def _resumed(
    makers: Mapping[Scenario, SlotFiller],
    wanted: Sequence[Cell],
    entries: Sequence[dict[str, Any]],
) -> dict[int, Filled]:
    """The cells that an interrupted run filled, which then count as used."""
    made = {}
    for entry in entries:
        place, line, called = entry["cell"], entry["line"], tuple(entry["called"])
        filler = makers[wanted[place].scenario]
        stays = {each.subject_id: each for each in filler.candidates}
        candidate = stays[line["subject_id"]] if line else None
        counts = GateCounts.from_json(entry["gates"])
        vain = tuple(entry["vain"])
        made[place] = Filled(candidate, line, called, entry["story"], vain, counts)
        use(filler.progress, made[place])
    return made


def _entry(place: int, filled: Filled) -> dict[str, Any]:
    return {
        "cell": place,
        "line": filled.line,
        "called": filled.called,
        "story": filled.story,
        "vain": filled.vain,
        "gates": filled.counts.to_json(),
    }


def _finished(
    folder: SuiteFolder, made: Mapping[int, Filled], record: CandidateRecord
) -> MadeSessions:
    filled = tuple(made[place] for place in sorted(made))
    sessions = MadeSessions(folder, filled)
    snapshots = [snapshot(each) for each in _surveyed(filled, record)]
    folder.finish(sessions.lines, snapshots, sessions.counts.to_json())
    return sessions


def _surveyed(filled: Sequence[Filled], record: CandidateRecord) -> Iterator[SurveyedPatient]:
    """The patients of the sessions, each once at a time."""
    sessions = ((each.candidate, each.line) for each in filled)
    times = {
        (candidate.subject_id, line["clock"]): candidate
        for candidate, line in sessions
        if candidate and line
    }
    for (_, clock), candidate in times.items():
        yield record.patient(candidate, datetime.fromisoformat(clock).replace(tzinfo=None))


def _result(
    made: MadeSessions, wanted: Sequence[Cell], requests: Sequence[Requested]
) -> WorkResult:
    lines = made.lines
    missing = list(_missing(wanted, made.filled))
    short = (
        f"{len(missing)} of {len(wanted)} sessions have no patient ({'; '.join(missing[:3])}); "
        "name a larger database."
    )
    return WorkResult(
        Summary({"sessions": _table(wanted, made.filled), "gates": made.counts.table()}),
        (
            *([_reworded(lines), spent(requests)] if requests else []),
            f"{len(lines)} sessions of {len(made.patients)} patients written to "
            f"{made.folder.path}.",
        ),
        (short,) if missing else (),
        status=1 if missing else 0,
    )


def _reworded(lines: Sequence[Line]) -> str:
    """The number of turns that a model worded."""
    writers = [writer for line in lines for writer in line.get("question_writers", ())]
    return f"{sum(map(bool, writers))} of {len(lines) * TURNS} turns are worded by the writer."


def _missing(wanted: Sequence[Cell], made: Sequence[Filled]) -> Iterator[str]:
    for cell, filled in zip(wanted, made, strict=True):
        if not filled.line:
            yield f"{cell.scenario}, tier {cell.tier}, {'-'.join(cell.arc)}"


def _table(wanted: Sequence[Cell], made: Sequence[Filled]) -> Table:
    """The sessions of each scenario and tier."""
    found = Counter(
        (cell.scenario, cell.tier) for cell, filled in zip(wanted, made, strict=True) if filled.line
    )
    rows = tuple((each, *(found[each, tier] for tier in TIERS)) for each in SCENARIOS)
    return Table("Sessions", ("scenario", "sparse", "moderate", "rich"), rows)
