"""Makes PhysAssistBench sessions for `tasks make`."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from wardround.authoring.assist.candidate_record import CandidateRecord, converted
from wardround.authoring.assist.cells import TIERS, Cell, cells
from wardround.authoring.assist.declaration import MakeOptions
from wardround.authoring.assist.gate_counts import GateCounts
from wardround.authoring.assist.maker_models import NO_MODELS, MakerModels, maker_models
from wardround.authoring.assist.prefilter import Candidate, candidates
from wardround.authoring.assist.session_lines import Line
from wardround.authoring.assist.slots import (
    PATIENTS,
    Filled,
    SlotFiller,
    shuffled,
    snapshot,
    use,
)
from wardround.authoring.assist.suite_files import SuiteFolder
from wardround.authoring.rewording.usage import spent
from wardround.benchmarks.assist.tasks import SCENARIOS, TURNS, Scenario
from wardround.core.benchmark import Summary, Table
from wardround.core.trajectory import Requested
from wardround.core.work import WorkContext, WorkResult
from wardround.ehr.database import open_database
from wardround.models.roles import Models

# Candidates of a scenario and tier for each of its sessions.
_SPARE = 3


def make(options: MakeOptions, context: WorkContext[Models]) -> WorkResult:
    """Makes sessions about the patients of a database.

    Raises:
        UserError: The folder cannot be used, or the database lacks what sessions are made of,
            or the checker of a writer has no model.
    """
    folder, requests = SuiteFolder(options.to), list[Requested]()
    with (
        closing(open_database(options.database)) as database,
        maker_models(context.models, options.seed, requests.append) as models,
    ):
        settings = {
            "database": database.fingerprint(),
            **options.model_dump(mode="json", exclude={"to", "database"}),
            "models": models.names,
        }
        wanted = list(cells(options.size))
        # A database that serves no session leaves no folder behind.
        chosen = _chosen(candidates(database, options.seed), wanted)
        entries = folder.begin(settings)
        context.progress(0, len(wanted), "sessions")
        chart = converted(folder.record, options.database, chosen)
        record = CandidateRecord(chart, database)
        makers = fillers(record, chosen, options.seed, models, discrepancies=options.discrepancies)
        made = _resumed(makers, wanted, entries)
        for place in filling_order(wanted)[len(made) :]:
            cell = wanted[place]
            made[place] = makers[cell.scenario].fill(place, cell)
            folder.append(_entry(place, made[place]))
            context.progress(len(made), len(wanted), "sessions")
        return _finished(folder, wanted, made, record, requests)


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
        made[place] = Filled(candidate, line, called, tuple(entry["vain"]), counts)
        use(filler.progress, made[place])
    return made


def _entry(place: int, filled: Filled) -> dict[str, Any]:
    return {
        "cell": place,
        "line": filled.line,
        "called": filled.called,
        "vain": filled.vain,
        "gates": filled.counts.to_json(),
    }


def _finished(
    folder: SuiteFolder,
    wanted: Sequence[Cell],
    made: dict[int, Filled],
    record: CandidateRecord,
    requests: Sequence[Requested],
) -> WorkResult:
    filled = [made[place] for place in sorted(made)]
    lines = [each.line for each in filled if each.line]
    used = {each.candidate.subject_id: each.candidate for each in filled if each.candidate}
    snapshots = [snapshot(record.patient(each)) for each in used.values()]
    counts = GateCounts.total(each.counts for each in filled)
    folder.finish(lines, snapshots, counts.to_json())
    missing = list(_missing(wanted, made))
    short = (
        f"{len(missing)} of {len(wanted)} sessions have no patient ({'; '.join(missing[:3])}); "
        "name a larger database."
    )
    return WorkResult(
        Summary({"sessions": _table(wanted, made), "gates": counts.table()}),
        (
            *([_reworded(lines), spent(requests)] if requests else []),
            f"{len(lines)} sessions of {len(used)} patients written to {folder.path}.",
        ),
        (short,) if missing else (),
        status=1 if missing else 0,
    )


def _reworded(lines: Sequence[Line]) -> str:
    """The number of turns that a model worded."""
    writers = [writer for line in lines for writer in line.get("question_writers", ())]
    return f"{sum(map(bool, writers))} of {len(lines) * TURNS} turns are worded by the writer."


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
