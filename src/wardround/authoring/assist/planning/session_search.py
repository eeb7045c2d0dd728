"""Searches for the four turns of a session, under the rules that hold for all of them.

Source: PhysAssistBench, appendix H (session planner).
"""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, combinations, islice
from typing import TypeAlias

from wardround.authoring.assist.facts.chosen_rules import superseding
from wardround.authoring.assist.facts.findings import Finding, resource_of
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.authoring.assist.facts.scenarios import is_about
from wardround.authoring.assist.planning.cells import Cell
from wardround.authoring.assist.planning.drafts import Draft, charted_drugs
from wardround.authoring.assist.planning.evidence import is_read, shows_sign, watched_tests
from wardround.authoring.assist.planning.orders import order_drafts
from wardround.authoring.assist.planning.reading_turns import drafts
from wardround.authoring.assist.planning.tier_needs import disagrees, meets_tier
from wardround.authoring.assist.wording.kept_advice import stops_unasked
from wardround.authoring.assist.wording.turn_texts import are_short
from wardround.benchmarks.assist.sessions import TURNS, WRITES
from wardround.ehr.terms.clinical_rules import AGAINST, WITHHOLDING, clinical_rule
from wardround.ehr.terms.panels import panel_tests

_TURNS_OF_A_RESOURCE = 2
_RESOURCES = {1: 2, 2: 2, 3: 3}  # resource types that a session reads or writes, by tier
PASSED, MOST_PASSED = 7, 25  # drafts that the turns of a session pass over, all together
_LOOKED_AT = 40  # drafts of a turn that are looked at, whether they lead on or not
_OFFERED = 5  # drafts of a turn that are offered for a choice
_EARLY = 2  # turns within which a session reads critical results
_NAMED = ("test", "drug")

# Sessions, and in the end whether no order of the findings leads to any.
Found: TypeAlias = Generator[tuple[Draft, ...], None, bool]
Choose: TypeAlias = Callable[[Sequence[Draft], Sequence[Draft]], Draft]


@dataclass(frozen=True)
class SessionSearch:
    """A search for the turns of one storyline.

    Each turn tries its drafts in order, and a session passes over a limited number of them in all
    its turns together. So no turn uses up the search, and the best drafts of each are tried with
    the best of the others (limited discrepancy search, Harvey and Ginsberg 1995).

    Attributes:
        cell: the cell that the session fills.
        findings: the findings of the storyline, those that are needed most first.
        rules: the rules of the storyline.
        day: the day of the session.
        writes: the tools that a write turn may use.
        critical: the tests whose result the session has to read early.
        pressing: the tests whose latest result has to be told and acted on if a call finds it.
        required: the tool that the session has to use; "" if any will do.
        passed: the drafts that its turns may pass over, all together.
    """

    cell: Cell
    findings: Sequence[Finding]
    rules: Sequence[BoundRule]
    day: date
    writes: Collection[str]
    critical: Collection[str] = ()
    pressing: Collection[str] = ()
    required: str = ""
    passed: int = PASSED

    def sessions(self, history: tuple[Draft, ...] = ()) -> Found:
        """The sessions that begin with some turns, within the limit.

        Returns:
            True if there are none without the limit either.
        """
        return (yield from self._continued(history, self._fitting(history), self.passed))

    def _continued(
        self, history: tuple[Draft, ...], fitting: Iterator[Draft], passed: int
    ) -> Found:
        """The sessions that go on with the drafts that fit the next turn."""
        if not self._withholds(history):  # no later turn makes up for that
            return True
        if len(history) == TURNS:
            is_whole = self._is_whole(history)
            if is_whole:
                yield history
            return not is_whole
        is_hopeless, left = True, passed
        for draft, following in islice(self._leading_on(history, fitting), passed + 1):
            fails = yield from self._continued((*history, draft), following, left)
            is_hopeless, left = is_hopeless and fails, left - 1
        return is_hopeless and left >= 0 and next(fitting, None) is None

    def _leading_on(
        self, history: tuple[Draft, ...], fitting: Iterator[Draft]
    ) -> Iterator[tuple[Draft, Iterator[Draft]]]:
        """The first drafts of the next turn that leave drafts for the turn after it, with these."""
        for draft in islice(fitting, _LOOKED_AT):
            turns = (*history, draft)
            following = self._fitting(turns)
            first = list(islice(following, 1))
            if first or len(turns) == TURNS:
                yield draft, chain(first, following)

    def chosen_turns(self, choose: Choose) -> tuple[Draft, ...] | None:
        """The turns that are chosen one by one; None if there are none within the limit."""
        history: tuple[Draft, ...] = ()
        while len(history) < TURNS:
            options = list(islice(self._feasible(history), _OFFERED))
            if not options:
                return None
            history = (*history, choose(history, options) if len(options) > 1 else options[0])
        return history

    def _feasible(self, history: tuple[Draft, ...]) -> Iterator[Draft]:
        """The drafts of the next turn that a whole session can go on with."""
        fitting = islice(self._fitting(history), self.passed + 1)
        return (draft for draft in fitting if any(self.sessions((*history, draft))))

    def _fitting(self, history: tuple[Draft, ...]) -> Iterator[Draft]:
        """The drafts of the next turn under the rules of a session; none after the last."""
        if len(history) == TURNS:
            return iter(())
        return (each for each in self._drafts(history) if self._fits(each, history))

    def _drafts(self, history: tuple[Draft, ...]) -> Iterator[Draft]:
        """The drafts of the next turn, which read no resource in too many turns."""
        number = len(history)
        type = self.cell.arc[number]
        form = self.cell.forms[number - 1] if number else None
        if type == "WU":
            yield from order_drafts(form, history, self.rules, self.day, self.writes)
        else:
            yield from drafts(type, form, history, self._unread(history), self.rules)

    def _unread(self, history: Sequence[Draft]) -> Iterator[Finding]:
        """The findings of new calls, of resources that another turn may read."""
        groups = combinations([{*draft.resources} for draft in history], _TURNS_OF_A_RESOURCE)
        full = {name for group in groups for name in set.intersection(*group)}
        made = [finding.call for draft in history for finding in draft.findings]
        for each in self.findings:
            if each.resource not in full and each.call not in made:
                yield each

    def _fits(self, draft: Draft, history: tuple[Draft, ...]) -> bool:
        """True if one turn asks the patient or still can, and each has the evidence that it needs.

        Args:
            draft: the next turn.
            history: the turns before it, which fit.
        """
        turns = (*history, draft)
        asked = [each.asks for each in turns].count(True)
        if asked > 1 or not (asked or self._can_ask_after(len(turns))):
            return False
        if not self._has_evidence(turns) or not self._leads_to_tool(turns):
            return False
        if any(each.searches for each in turns) and not _are_spread(turns):
            return False
        return len(turns) < _EARLY or self._reads_critical(turns)

    def _can_ask_after(self, number: int) -> bool:
        """True if a turn after the first ones can ask the patient."""
        return any(type != "WU" for type in self.cell.arc[number:])

    def _leads_to_tool(self, turns: Sequence[Draft]) -> bool:
        """True if one of the first turns uses the required tool, or a later one still can."""
        if not self.required:
            return True
        is_used = resource_of(self.required) in {name for each in turns for name in called_by(each)}
        writes = self.required in WRITES
        can_follow = any((type == "WU") == writes for type in self.cell.arc[len(turns) :])
        return is_used or can_follow

    def _reads_critical(self, turns: Sequence[Draft]) -> bool:
        """True if the first turns have read every critical result."""
        return all(
            any(is_read(test, draft.findings) for draft in turns[:_EARLY]) for test in self.critical
        )

    def _withholds(self, turns: Sequence[Draft]) -> bool:
        """True if each answer about a critical result knows of all drugs that the result forbids.

        An answer stops the drugs that turns have looked up, so one that is ordered has to be.
        """
        if not self.critical:
            return True
        forbidden = [
            (test, bound.drug)
            for bound in self.rules
            for test in {*bound.tests} & {*self.critical}
            if bound.drug and bound.rule.action in WITHHOLDING and not bound.rule.object
        ]
        return all(
            drug in charted_drugs(turns[: number + 1])
            for number, draft in enumerate(turns)
            if draft.type == "CR"
            for test, drug in forbidden
            if test in (*draft.bound.tests, draft.bound.rule.recheck)
        )

    def _acts(self, turns: Sequence[Draft]) -> bool:
        """True unless a session that reasons is left with what its turns call for.

        Where they told the drugs and the results under which a rule takes a drug away, gives less
        of it or gives another one, a turn reasons about that.
        """
        reasoned = [draft.bound for draft in turns if draft.type in ("CR", "WU")]
        findings = [each for draft in turns for each in draft.findings]
        drugs = {"", *charted_drugs(turns)}
        done = {name for bound in reasoned for name in (*bound.against, bound.object)}
        return not reasoned or not any(
            bound.rule.action in (*AGAINST, "replace", "start")
            and bound.object not in done
            and {bound.drug, bound.beside} <= drugs
            and all(any(shows_sign(f, test, bound) for f in findings) for test in bound.tests)
            for bound in self.rules
            if not bound.rests_on_account and not bound.is_score
        )

    def _acts_on_pressing(self, turns: Sequence[Draft]) -> bool:
        """True if each pressing result that a call finds is told, and turns that reason act on it.

        A session without reasoning tells it and leaves the rest to the physician.
        """
        findings = [each for draft in turns for each in draft.findings]
        found = {e.entity.name for e in findings if e.entity.kind == "test"} & {*self.pressing}
        reasoned = [draft.bound for draft in turns if draft.type in ("CR", "WU")]
        about = {test for each in reasoned for test in (*each.tests, each.rule.recheck)}
        return all(is_read(test, findings) for test in found) and (not reasoned or found <= about)

    def _watches_adding(self, draft: Draft, turns: Sequence[Draft]) -> bool:
        """True if turns read or order the test that monitors each drug that adds to a risk.

        A diuretic adds to the toxicity of digoxin, so the potassium is monitored.
        """
        watched = {clinical_rule(each.rule).recheck for each in draft.adding}
        if not watched:
            return True
        findings = [each for turn in turns for each in turn.findings]
        reasoned = [turn.bound for turn in turns if turn.type == "CR"]
        asked = {test for e in reasoned for test in (e.rule.recheck, *panel_tests(e.object))}
        return all(test in asked or is_read(test, findings) for test in watched)

    def _has_evidence(self, turns: Sequence[Draft]) -> bool:
        """True if the results were read that the last turn's advice repeats, or that watch a drug.

        Few records have three rules about one drug or test; the results that their advice repeats
        would fill more turns than a type of resource has.
        """
        last = turns[-1]
        if not self._watches_adding(last, turns):
            return False
        if last.type != "CR" or not last.rule:
            return True
        is_full = self.cell.arc.count("CR") == TURNS - 1
        watched = last.rule.monitored if is_full else watched_tests(last.rule)
        findings = [each for draft in turns for each in draft.findings]
        return all(is_read(test, findings) for test in watched)

    def _is_whole(self, turns: tuple[Draft, ...]) -> bool:
        """True if a session is about what its scenario is, and about enough types of resources.

        Where a rule holds only by what the patient tells, a turn has to depend on it. Its questions
        have to be short.
        """
        resources = {name for draft in turns for name in resources_of(draft)}
        recorded = {name for name in resources if not name.startswith("patient.")}
        recorded |= {draft.order.tool.partition(".")[0] for draft in turns if draft.order}
        is_told = any(bound.is_told for bound in self.rules)
        is_turned = not is_told or self._turns_on_it(turns)
        is_scored = not self._is_scored() or any(each.rule == self.rules[0] for each in turns)
        is_deep = meets_tier(self.cell.tier, turns) and self._is_enough(turns)
        return (
            is_about(self.cell.scenario, [each for draft in turns for each in draft.findings])
            and self._reads_critical(turns)
            and self._acts(turns)
            and self._acts_on_pressing(turns)
            and not any(stops_unasked(turns, number) for number in range(len(turns)))
            and is_turned
            and is_scored
            and is_deep
            and len(recorded) >= _RESOURCES[self.cell.tier]
            and are_short(turns)
        )

    def _is_enough(self, turns: Sequence[Draft]) -> bool:
        """True unless the session only asks for a test where a rule acts and is left out."""
        reasoned = [draft.bound for draft in turns if draft.type in ("CR", "WU")]
        above = (superseding(bound, self.rules) for bound in reasoned)
        return all(not rules or any(each in reasoned for each in rules) for rules in above)

    def _is_scored(self) -> bool:
        """True if the storyline begins with a score that a turn has to reason about."""
        return self.rules[0].is_score and "CR" in self.cell.arc

    def _turns_on_it(self, turns: tuple[Draft, ...]) -> bool:
        """True if a turn rests on what the patient tells, or an untaken drug comes to light."""
        is_bought = any(bound.is_told and bound.beside for bound in self.rules)
        if is_bought or {"CR", "WU"} & set(self.cell.arc):
            return any(draft.rule and draft.rule.is_told for draft in turns)
        return disagrees([each for draft in turns for each in draft.findings])


def is_varied(turns: Sequence[Draft]) -> bool:
    """True if a session is about two drugs or tests at least.

    One of them may be in every turn only if another is in two turns.
    """
    named = [{each for each in draft.entities if each.kind in _NAMED} for draft in turns]
    counts = Counter(entity for each in named for entity in each)
    carried = sum(count == TURNS for count in counts.values())
    repeated = sum(count > 1 for count in counts.values())
    return len(counts) > 1 and (not carried or repeated > carried)


def _are_spread(turns: Sequence[Draft]) -> bool:
    """True if no type of resource is read in more turns than it may be, searches included."""
    read = Counter(name for draft in turns for name in {*called_by(draft)})
    return max(read.values(), default=0) <= _TURNS_OF_A_RESOURCE


def resources_of(draft: Draft) -> Sequence[str]:
    """The types of resources that a turn reads."""
    return draft.resources


def called_by(draft: Draft) -> list[str]:
    """The resources that a turn reads, and the tool that it writes by."""
    searched = [resource_of(each.tool) for each in draft.searches]
    return [*resources_of(draft), *searched, *([draft.order.tool] if draft.order else [])]
