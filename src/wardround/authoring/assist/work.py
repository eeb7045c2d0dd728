"""Makes PhysAssistBench sessions for `tasks make`."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from wardround.authoring.assist.candidate_record import CandidateRecord, converted
from wardround.authoring.assist.cells import TIERS, Cell, cells
from wardround.authoring.assist.declaration import MakeOptions
from wardround.authoring.assist.gate_counts import GateCounts
from wardround.authoring.assist.prefilter import Candidate, candidates
from wardround.authoring.assist.slots import (
    PATIENTS,
    Filled,
    Progress,
    SlotFiller,
    snapshot,
    use,
)
from wardround.authoring.assist.suite_files import SuiteFolder
from wardround.benchmarks.assist.tasks import SCENARIOS
from wardround.core.benchmark import Summary, Table
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import open_database

# Candidates of a scenario and tier for each of its sessions.
_SPARE = 3


def make(options: MakeOptions, context: WorkContext[object]) -> WorkResult:
    """Makes sessions about the patients of a database.

    Raises:
        UserError: The folder cannot be used, or the database lacks what sessions are made of.
    """
    folder = SuiteFolder(options.to)
    with closing(open_database(options.database)) as database:
        settings = {
            "database": database.fingerprint(),
            **options.model_dump(mode="json", exclude={"to", "database"}),
        }
        wanted = list(cells(options.size))
        # A database that serves no session leaves no folder behind.
        chosen = _chosen(candidates(database, options.seed), wanted)
        entries = folder.begin(settings)
        context.progress(0, len(wanted), "sessions")
        chart = converted(folder.record, options.database, chosen)
        record = CandidateRecord(chart, database)
        filler = SlotFiller(record, chosen, options.seed, options.discrepancies, Progress())
        made = _resumed(filler, wanted, entries)
        for place in filling_order(wanted)[len(made) :]:
            made[place] = filler.fill(place, wanted[place])
            folder.append(_entry(place, made[place], filler.progress))
            context.progress(len(made), len(wanted), "sessions")
        return _finished(folder, wanted, made, filler)


def filling_order(wanted: Sequence[Cell]) -> list[int]:
    """The numbers of the cells, those that need the most of a record first."""
    return sorted(
        range(len(wanted)),
        key=lambda place: (-wanted[place].arc.count("CR"), -wanted[place].tier),
    )


def _chosen(found: Sequence[Candidate], wanted: Sequence[Cell]) -> list[Candidate]:
    """The candidates of each scenario and tier, enough for its sessions and their drops.

    They are the first in order and, where a session needs several rules, those with the longest
    storylines.
    """
    kept: set[int] = set()
    for (scenario, tier), count in Counter((c.scenario, c.tier) for c in wanted).items():
        fitting = [each for each in found if each.tiers.get(scenario, 0) >= tier]
        storied = sorted(fitting, key=lambda each: -each.storyline)[:PATIENTS]
        kept |= {each.subject_id for each in (*fitting[: _SPARE * count], *storied)}
    return [each for each in found if each.subject_id in kept]


def _resumed(
    filler: SlotFiller, wanted: Sequence[Cell], entries: Sequence[dict[str, Any]]
) -> dict[int, Filled]:
    """The cells that an interrupted run filled, which then count as used."""
    stays = {each.subject_id: each for each in filler.candidates}
    made = {}
    for entry in entries:
        place, line, called = entry["cell"], entry["line"], tuple(entry["called"])
        candidate = stays[line["subject_id"]] if line else None
        made[place] = Filled(candidate, line, called, tuple(entry["vain"]))
        use(filler.progress, wanted[place], made[place])
        filler.progress.counts = GateCounts.from_json(entry["gates"])
    return made


def _entry(place: int, filled: Filled, progress: Progress) -> dict[str, Any]:
    gates = progress.counts.to_json()
    return {
        "cell": place,
        "line": filled.line,
        "called": filled.called,
        "vain": filled.vain,
        "gates": gates,
    }


def _finished(
    folder: SuiteFolder, wanted: Sequence[Cell], made: dict[int, Filled], filler: SlotFiller
) -> WorkResult:
    filled = [made[place] for place in sorted(made)]
    lines = [each.line for each in filled if each.line]
    used = {each.candidate.subject_id: each.candidate for each in filled if each.candidate}
    snapshots = [snapshot(filler.record.patient(each)) for each in used.values()]
    counts = filler.progress.counts
    folder.finish(lines, snapshots, counts.to_json())
    missing = list(_missing(wanted, made))
    short = (
        f"{len(missing)} of {len(wanted)} sessions have no patient ({'; '.join(missing[:3])}); "
        "name a larger database."
    )
    return WorkResult(
        Summary({"sessions": _table(wanted, made), "gates": counts.table()}),
        (f"{len(lines)} sessions of {len(used)} patients written to {folder.path}.",),
        (short,) if missing else (),
        status=1 if missing else 0,
    )


def _missing(wanted: Sequence[Cell], made: dict[int, Filled]) -> Iterator[str]:
    for place, cell in enumerate(wanted):
        if not made[place].line:
            yield f"{cell.scenario}, tier {cell.tier}, {'-'.join(cell.arc)}"


def _table(wanted: Sequence[Cell], made: dict[int, Filled]) -> Table:
    """The sessions of each scenario and tier."""
    found = Counter(
        (cell.scenario, cell.tier) for place, cell in enumerate(wanted) if made[place].line
    )
    rows = tuple((each, *(found[each, tier] for tier in TIERS)) for each in SCENARIOS)
    return Table("Sessions", ("scenario", "sparse", "moderate", "rich"), rows)
