"""The sessions of a scenario: filled, then filled again where cells or tools were left over.

Source: PhysAssistBench, appendix H.3 (coverage) and Table D5 (tools by scenario).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from wardround.authoring.assist.facts.findings import resource_of
from wardround.authoring.assist.gates.gate_counts import GateCounts
from wardround.authoring.assist.gates.session_gates import Fault
from wardround.authoring.assist.planning.cells import Cell, Forms
from wardround.authoring.assist.planning.form_trades import FormPlan, forms_of
from wardround.authoring.assist.planning.planner import MOST_READ, excess
from wardround.authoring.assist.progress import Filled, Reach, use
from wardround.authoring.assist.scenario_tools import scenario_tools
from wardround.authoring.assist.slots import PATIENTS, SlotFiller
from wardround.benchmarks.assist.sessions import WRITES, Scenario

_UNUSED = Fault("coverage", "no session uses the tool")
EMPTY = "empty"  # the cause for which an empty cell is filled again; the others are tools
TRADE = "trade"  # the cause for which a cell is filled with other forms, in exchange for its own
LESS = "less"  # the cause for which a session is filled again that reads one resource too often
_PASSED = 20 * PATIENTS  # patients that are tried again for an empty cell
_FARTHER: Mapping[Reach, Reach] = {"unused": "all", "all": "again", "again": "redrawn"}
_SUPPORTING = 100  # patients that are tried for a tool, since few records support some of them
_VAIN = 12  # cells that are filled again in vain for a tool or for shares, at most


@dataclass
class ScenarioSessions:
    """The sessions of a scenario.

    Attributes:
        scenario: the scenario.
        filler: fills its cells.
        cells: the cells of the suite.
        filled: the last session of each of its cells, by the number of the cell.
        tried: the cells that were filled again for a tool, each with the tool.
        vain: the cells that were filled again in vain, by tool.
        passed: the patients that were tried again for each empty cell, within its reach.
        retold: those of them whose storyline another session had told.
        reach: the patients that each empty cell is filled from.
        given_up: the empty cells that no patient is left for.
        tried_forms: the implicit forms with which empty cells were given up.
    """

    scenario: Scenario
    filler: SlotFiller
    cells: Sequence[Cell]
    filled: dict[int, Filled] = field(default_factory=dict)
    tried: set[tuple[int, str]] = field(default_factory=set)
    vain: Counter[str] = field(default_factory=Counter)
    passed: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    retold: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    reach: defaultdict[int, Reach] = field(default_factory=lambda: defaultdict(lambda: "unused"))
    given_up: set[int] = field(default_factory=set)
    tried_forms: defaultdict[int, set[Forms]] = field(default_factory=lambda: defaultdict(set))
    _plan: FormPlan = field(init=False)

    def __post_init__(self) -> None:
        own = {n: each for n, each in enumerate(self.cells) if each.scenario == self.scenario}
        self._plan = FormPlan(own)

    def fill(self, number: int) -> Filled:
        """Fills a cell with a session of its planned forms."""
        filled_cell = self.filler.fill(number, [self._plan.cells[number]])
        self._take(number, filled_cell)
        return filled_cell

    def _take(self, number: int, filled_cell: Filled) -> None:
        """Counts a session as that of its cell."""
        self.filled[number] = filled_cell
        if filled_cell.line:
            self._plan.take(number, forms_of(filled_cell.line))

    def plan(self, number: int, forms: Forms) -> None:
        """Plans the implicit forms of a cell whose session is made again."""
        self._plan.plan(number, forms)

    def resume(self, number: int, filled_cell: Filled, cause: str) -> None:
        """Counts a cell that was filled before as used.

        Args:
            number: the number of the cell.
            filled_cell: its session.
            cause: the cause for which it was filled again; "" if it was filled for the first time.
        """
        if cause == EMPTY:
            self.filler.widen()
            self._pass_over(number, filled_cell)
        elif cause:
            self._count_try(number, cause, filled_cell)
        use(self.filler.progress, filled_cell)
        if filled_cell.traded:
            self._exchange(number, filled_cell)
        elif filled_cell.line or not cause:
            self._take(number, filled_cell)

    def fill_again(self) -> Iterator[tuple[int, str, Filled]]:
        """Fills empty cells again, then some for tools and shares; yields each with its cause."""
        for number in [
            number for number, filled_cell in self.filled.items() if not filled_cell.line
        ]:
            yield from self._fill_empty(number)
        yield from self.trade()
        yield from self.cover()
        yield from self.thin()

    def _fill_empty(self, number: int) -> Iterator[tuple[int, str, Filled]]:
        self.filler.widen()
        while not self.filled[number].line and number not in self.given_up:
            offers, passed = self._plan.offers(number), self.passed[number]
            filled_cell = self.filler.fill(number, offers, passed, reach=self.reach[number])
            self._take(number, filled_cell)
            self._pass_over(number, filled_cell)
            yield number, EMPTY, filled_cell

    def replace_rejected(self, number: int) -> Iterator[tuple[int, Filled]]:
        """Fills a cell again whose session a reader rejected, with one of the same forms.

        The patient of the rejected session has no session of the scenario again. If the rejected
        session alone used a tool, one that uses it is looked for first.
        """
        rejected = self.filled[number]
        if rejected.candidate:
            self.filler.progress.barred.add(rejected.candidate.subject_id)
            self.filled[number] = Filled()
        for tool in unused_tools(self.scenario, self.filled.values()):
            if resource_of(tool) in rejected.called and not self.filled[number].line:
                yield number, self._again(number, tool)
        yield from ((place, found) for place, _, found in self._fill_empty(number))

    def _pass_over(self, number: int, filled_cell: Filled) -> None:
        """Counts the patients that were tried again for an empty cell.

        If none of its reach is left, it reaches farther: all patients are tried with other draws,
        then those whose storyline was told before for that one, and then all with other draws for
        any storyline.
        """
        self.passed[number].update(filled_cell.vain)
        self.retold[number].update(filled_cell.retold)
        if filled_cell.line or (filled_cell.vain and len(self.passed[number]) < _PASSED):
            return
        if farther := _FARTHER.get(self.reach[number]):
            self.reach[number] = farther
            self.passed[number] = (
                self.passed[number] - self.retold[number] if farther == "again" else set()
            )
        else:
            self.given_up.add(number)
            self.tried_forms[number].add(self._plan.cells[number].forms)

    def trade(self) -> Iterator[tuple[int, str, Filled]]:
        """Fills cells again with other forms, so that empty cells may try those in exchange.

        An empty cell tries each order of its forms once.
        """
        for number in sorted(self.given_up):
            for other in self._replaceable(TRADE):
                if number not in self.given_up or self.vain[TRADE] >= _VAIN:
                    break
                swaps = self._plan.swaps(other, number, self.tried_forms[number])
                if not swaps:
                    continue
                cell = self._plan.cells[other]
                offers = [replace(cell, forms=forms) for forms in swaps]
                filled_cell = self.filler.fill(other, offers, reach="all")
                if filled_cell.line:
                    traded = number, swaps[forms_of(filled_cell.line)]
                    filled_cell = replace(filled_cell, traded=traded)
                    self._exchange(other, filled_cell)
                self._count_try(other, TRADE, filled_cell)
                yield other, TRADE, filled_cell
                yield from self._fill_empty(number)

    def _exchange(self, number: int, filled_cell: Filled) -> None:
        """Counts a session as that of its cell, and an empty cell with other forms as untried."""
        if filled_cell.line and filled_cell.traded:
            empty, forms = filled_cell.traded
            self._plan.plan(empty, forms)
            self._plan.plan(number, forms_of(filled_cell.line))
            self._take(number, filled_cell)
            self.given_up.discard(empty)
            for state in (self.passed, self.retold, self.reach):
                state.pop(empty, None)

    def cover(self) -> Iterator[tuple[int, str, Filled]]:
        """Fills cells again for the tools that no session uses; yields each with the tool.

        A session is replaced by one that uses the tool. Sessions that alone use another tool stay.
        After some tries in vain the tool stays unused.
        A scenario with fewer sessions than tools stays as it is.
        """
        if len(self.filled) < len(scenario_tools(self.scenario)):
            return
        for tool in unused_tools(self.scenario, self.filled.values()):
            for number in self._replaceable(tool):
                if self.vain[tool] >= _VAIN:
                    break
                filled_cell = self._again(number, tool)
                yield number, tool, filled_cell
                if filled_cell.line:
                    break

    def thin(self) -> Iterator[tuple[int, str, Filled]]:
        """Fills those sessions again that read the most of a resource which all read too often.

        A session is replaced by one of another patient that reads less of it; else it stays.
        """
        resource, share = most_read(self.filled.values())
        heavy = {number: excess(_read(self.filled[number]), (resource,)) for number in self.filled}
        for number in sorted(self._replaceable(LESS), key=lambda each: -heavy[each]):
            if share <= MOST_READ or heavy[number] <= 0 or self.vain[LESS] >= _VAIN:
                return
            old = self.filled[number].candidate
            passed = {old.subject_id} if old else ()
            filled = self.filler.fill(number, self._plan.offers(number), passed, reach="all")
            if filled.line and excess(_read(filled), (resource,)) < heavy[number]:
                self._take(number, filled)
            else:
                filled = Filled(vain=filled.vain, counts=filled.counts)
            self._count_try(number, LESS, filled)
            yield number, LESS, filled
            share = most_read(self.filled.values())[1]

    def _again(self, number: int, tool: str) -> Filled:
        """The session of a cell that uses a tool, counted at the gate of the tools."""
        arc = self.cells[number].arc
        offers = self._plan.offers(number)
        filled_cell = self.filler.fill(number, offers, tool=tool, reach="all", most=_SUPPORTING)
        counts = GateCounts()
        counts.tried("coverage", arc)
        if filled_cell.line:
            self._take(number, filled_cell)
        else:
            counts.refused(_UNUSED, arc)
        self._count_try(number, tool, filled_cell)
        return replace(filled_cell, counts=GateCounts.total([filled_cell.counts, counts]))

    def _count_try(self, number: int, cause: str, filled_cell: Filled) -> None:
        """Counts a cell that was filled again for a tool or for shares."""
        self.tried.add((number, cause))
        self.vain[cause] += not filled_cell.line

    def _replaceable(self, tool: str) -> list[int]:
        """The cells that can be filled again for a tool, those with room for it first.

        Turns that gather several things have room for any that reads or asks, and those that reason
        for an order; the rest is in an order of the seed.
        """
        uses = Counter(name for each in self.filled.values() for name in {*each.called})
        places = [
            number
            for number, each in self.filled.items()
            if each.line
            and (number, tool) not in self.tried
            and (tool not in WRITES or "WU" in self.cells[number].arc)
            and all(uses[name] > 1 for name in each.called)
        ]

        def order(number: int) -> tuple[int, float]:
            gathering = self.cells[number].arc.count("DG")
            room = -gathering if tool in WRITES else gathering
            return -room, Random(f"{self.filler.seed} {tool} {number}").random()

        return sorted(places, key=order)


def most_read(filled: Iterable[Filled]) -> tuple[str, float]:
    """The type of resource that sessions read the most, with its share of what they read."""
    read = Counter(name for each in filled for name in _read(each))
    shares = {name: count / read.total() for name, count in read.items()}
    return max(shares.items(), key=lambda each: each[1], default=("", 0.0))


def _read(filled_cell: Filled) -> list[str]:
    """The types of resources that a session reads, and no tools that ask or write."""
    return [name for name in filled_cell.called if "." not in name]


def unused_tools(scenario: Scenario, filled: Iterable[Filled]) -> list[str]:
    """The tools of a scenario that no session uses, in the order of their names."""
    used = {name for each in filled for name in each.called}
    return sorted(tool for tool in scenario_tools(scenario) if resource_of(tool) not in used)
