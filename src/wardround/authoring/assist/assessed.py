"""A suite of sessions for an assessment."""

from collections import Counter
from random import Random

from wardround.authoring.assist.declaration import MakeOptions
from wardround.authoring.assist.maker_models import NO_MODELS
from wardround.authoring.assist.planning.cells import Cell, cells
from wardround.authoring.assist.work import make_sessions
from wardround.benchmarks.assist.sessions import Scenario
from wardround.core.errors import UserError
from wardround.core.work import MadeSuite, SuiteRequest

_LAYOUT = "record"
_MOST = 24  # sessions; more would take a small database too long


def assessed_suite(request: SuiteRequest) -> MadeSuite:
    """Makes sessions about patients of a database, and the FHIR record that they are played on.

    Raises:
        UserError: the database has another layout or no notes, or no patient supports a session.
    """
    if request.record_map is not None:
        raise UserError("sessions need MIMIC-IV's layout, not a record map of your own.")
    folder = request.folder / "sessions"
    options = MakeOptions(database=request.database, to=folder, seed=request.seed)
    wanted = chosen_cells(min(request.tasks, _MOST), request.seed)
    made = make_sessions(options, wanted, NO_MODELS, request.progress)
    if not made.lines:
        raise UserError("no patient's record supports a session.")
    return MadeSuite(folder, len(made.lines), _LAYOUT, record=made.folder.record)


def chosen_cells(count: int, seed: int) -> list[Cell]:
    """Some cells of a suite, evenly over its scenarios and tiers.

    >>> sorted(Counter(cell.scenario for cell in chosen_cells(8, 0)).values())
    [2, 2, 2, 2]
    """
    every = list(cells("suite"))
    Random(f"{seed} assessed").shuffle(every)
    drawn = Counter[tuple[Scenario, int]]()
    places = dict[Cell, tuple[int, int]]()
    for cell in every:
        places[cell] = drawn[cell.scenario, cell.tier], cell.tier
        drawn[cell.scenario, cell.tier] += 1
    return sorted(every, key=places.__getitem__)[:count]
