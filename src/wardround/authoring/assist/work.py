"""Makes PhysAssistBench sessions for `tasks make`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from wardround.authoring.assist.again import flagged_sessions, reopen
from wardround.authoring.assist.candidates.candidate_record import converted
from wardround.authoring.assist.candidates.prefilter import Candidate, candidates
from wardround.authoring.assist.candidates.shortlist import shortlist
from wardround.authoring.assist.coverage import unused_tools
from wardround.authoring.assist.declaration import MakeOptions
from wardround.authoring.assist.filled_cells import Source, filled_cells, filled_of
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.maker_models import MakerModels, maker_models
from wardround.authoring.assist.planning.cells import TIERS, Cell, cells
from wardround.authoring.assist.progress import Filled
from wardround.authoring.assist.session_lines import Line
from wardround.authoring.assist.suite_files import FORMAT, Entry, SuiteFolder
from wardround.authoring.rewording.usage import spent
from wardround.benchmarks.assist.sessions import SCENARIOS, TURNS
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
        earlier: the counts of the sessions that were made again.
    """

    folder: SuiteFolder
    filled: Sequence[Filled]
    earlier: Sequence[GateCounts] = ()

    @property
    def lines(self) -> list[Line]:
        """The sessions; a cell without a patient has none."""
        return [each.line for each in self.filled if each.line]

    @property
    def patients(self) -> list[Candidate]:
        """The patients of the sessions."""
        by_subject = {
            each.candidate.subject_id: each.candidate for each in self.filled if each.candidate
        }
        return list(by_subject.values())

    @property
    def counts(self) -> GateCounts:
        """The counts of all gates."""
        return GateCounts.total([*self.earlier, *(each.counts for each in self.filled)])


def make(options: MakeOptions, context: WorkContext[Models]) -> WorkResult:
    """Makes sessions about the patients of a database.

    Raises:
        UserError: The folder cannot be used, or the database lacks what sessions are made of,
            or the checker of a writer has no model.
    """
    requests = list[Requested]()
    suite_cells = list(cells(options.size))
    with maker_models(context.models, options.seed, requests.append) as models:
        made = make_sessions(options, suite_cells, models, context.progress)
    return _result(made, suite_cells, requests)


def make_sessions(
    options: MakeOptions, suite_cells: Sequence[Cell], models: MakerModels, progress: Progress
) -> MadeSessions:
    """Makes a session for each cell that has a patient, and writes them with their FHIR record.

    Raises:
        UserError: The folder cannot be used, or the database lacks what sessions are made of.
    """
    folder = SuiteFolder(options.to)
    again = flagged_sessions(options.again) if options.again else []
    with closing(open_database(options.database)) as database:
        settings = {
            "database": database.fingerprint(),
            **options.model_dump(mode="json", exclude={"to", "database"}),
            "again": again,
            "models": models.names,
            "format": FORMAT,
        }
        # A database that serves no session leaves no folder behind.
        chosen = shortlist(candidates(database, options.seed), suite_cells)
    if again:
        reopen(folder, settings, again, suite_cells, chosen)
    folder.begin(settings)
    entries = folder.entries()
    progress(0, len(suite_cells), "sessions")
    converted(folder.record, options.database, chosen)
    source = Source(options.database, folder.record, chosen, options.seed, options.discrepancies)
    for entry in filled_cells(source, suite_cells, entries, models):
        folder.append(entry)
        entries.append(entry)
        done = {each["cell"] for each in entries} - {None}
        progress(len(done), len(suite_cells), "sessions")
    return _finished(folder, entries, chosen)


def _finished(
    folder: SuiteFolder, entries: Sequence[Entry], chosen: Sequence[Candidate]
) -> MadeSessions:
    stays = {each.subject_id: each for each in chosen}
    last: dict[int, Entry] = {}
    earlier = []
    for entry in entries:
        # A session that fills a cell again replaces the earlier one.
        if entry["cell"] is not None and (entry["line"] or not entry.get("cause")):
            earlier += [last[entry["cell"]]] if entry["cell"] in last else []
            last[entry["cell"]] = entry
        else:
            earlier.append(entry)
    latest = [last[number] for number in sorted(last)]
    counts = [GateCounts.from_json(each["gates"]) for each in earlier]
    sessions = MadeSessions(folder, [filled_of(each, stays) for each in latest], counts)
    snapshots = [each["snapshot"] for each in latest if each["snapshot"]]
    folder.finish(sessions.lines, snapshots, sessions.counts.to_json())
    return sessions


def _result(
    made: MadeSessions, suite_cells: Sequence[Cell], requests: Sequence[Requested]
) -> WorkResult:
    lines = made.lines
    missing = list(_missing(suite_cells, made.filled))
    short = (
        f"{len(missing)} of {len(suite_cells)} sessions have no patient "
        f"({'; '.join(missing[:3])}); name a larger database."
    )
    return WorkResult(
        Summary(
            {
                "sessions": _table(suite_cells, made.filled),
                "unused": _unused(suite_cells, made.filled),
                "gates": made.counts.table(),
            }
        ),
        (
            *([_reworded(lines), spent(requests)] if requests else []),
            f"{len(lines)} sessions of {len(made.patients)} patients written to "
            f"{made.folder.path}.",
        ),
        (short,) if missing else (),
        status=1 if missing else 0,
    )


def _reworded(lines: Sequence[Line]) -> str:
    """The number of turns of which a model worded a question."""
    writers = [writer for line in lines for writer in line.get("question_writers", ())]
    return f"{sum(map(bool, writers))} of {len(lines) * TURNS} turns have words of the writer."


def _missing(suite_cells: Sequence[Cell], made: Sequence[Filled]) -> Iterator[str]:
    for cell, filled in zip(suite_cells, made, strict=True):
        if not filled.line:
            yield f"{cell.scenario}, tier {cell.tier}, {'-'.join(cell.arc)}"


def _unused(suite_cells: Sequence[Cell], made: Sequence[Filled]) -> Table:
    """The tools that no session of their scenario uses."""
    pairs = list(zip(suite_cells, made, strict=True))
    rows = [
        (scenario, tool)
        for scenario in SCENARIOS
        for tool in unused_tools(
            scenario, [filled for cell, filled in pairs if cell.scenario == scenario]
        )
    ]
    return Table("Tools that no session uses", ("scenario", "tool"), tuple(rows))


def _table(suite_cells: Sequence[Cell], made: Sequence[Filled]) -> Table:
    """The sessions of each scenario and tier."""
    counts = Counter(
        (cell.scenario, cell.tier)
        for cell, filled in zip(suite_cells, made, strict=True)
        if filled.line
    )
    rows = tuple((each, *(counts[each, tier] for tier in TIERS)) for each in SCENARIOS)
    return Table("Sessions", ("scenario", "sparse", "moderate", "rich"), rows)
