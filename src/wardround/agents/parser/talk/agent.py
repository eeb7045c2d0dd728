"""Converses with a user: reads turns, looks terms up, asks back, and answers by one query.

A new question can be read alone; one about what was asked before cannot. A word that is not read
is said to the user, so that no answer ignores it.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

import orjson

from wardround.agents.parser.talk import replies as words
from wardround.agents.parser.talk import value_linker as linking
from wardround.agents.parser.talk.asked_query import asked_query
from wardround.agents.parser.talk.goals import is_narrowing
from wardround.agents.parser.talk.mention_finder import clean
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import VISIT_KINDS, Clause, Request, StatedGoal
from wardround.agents.parser.talk.tool_client import DatabaseLookup, Dialogue, ToolFaultError, use
from wardround.agents.parser.talk.turn_reader import asks_to_check, is_opening, read_turn
from wardround.agents.parser.talk.unread_words import ignored_words, unread_words, without_words
from wardround.core.actions import Action, Observation, Say
from wardround.core.task import Briefing
from wardround.ehr.database import Dialect
from wardround.ehr.query import link, to_sql
from wardround.ehr.times import substitute_current_time

_PATIENT = "patient"
_OF_MANY = ("count", "share", "top")  # goals about many patients
_OF_PEOPLE = (_PATIENT, *VISIT_KINDS)  # kinds of record that say whose records are meant

TurnKind: TypeAlias = Literal["new", "follow_up", "either"]


class ConversationAgent:
    """Keeps a request through a conversation with a user.

    Args:
        briefing: Its tools, and its facts `flow`, `dialect` and `current_time`, are read.
    """

    def __init__(self, briefing: Briefing) -> None:
        facts = briefing.facts
        self._briefing = briefing
        self._flow = facts.get("flow", "incre")
        self._now = facts.get("current_time", "2100-12-31 23:59:00")
        dialects: tuple[Dialect, ...] = get_args(Dialect)
        self._dialect: Dialect = next((d for d in dialects if d == facts.get("dialect")), "sqlite")
        self._lookup = DatabaseLookup(briefing, strict=self._flow == "adapt")
        self._request = Request()
        self._rows: Sequence[Sequence[Any]] | None = None
        self._failed = False
        self._offered: Clause | None = None
        self._asked: list[str] = []
        # People ask one question after another; in a trial the user has one.
        self._has_many = facts.get("questions") == "many"
        self._unplaced = ""
        self._readable = ""
        self._talk: Dialogue[None] | None = None

    async def act(self, observation: Observation) -> Action:
        """The next action after a user's turn or a tool's result."""
        if self._talk is None:
            self._talk = self._converse(observation)
            return next(self._talk)
        return self._talk.send(observation)

    def _converse(self, latest: Observation) -> Dialogue[None]:
        while True:
            reply = yield from self._reply(latest.text)
            latest = yield Say(reply)

    def _reply(self, wording: str) -> Dialogue[str]:
        """The reply to a turn; after a fault of a tool the turn has not been taken."""
        before = self._request, self._offered, [*self._asked]
        try:
            if self._has_many:
                return (yield from self._one_of_many(wording))
            return (yield from self._considered(wording))
        except ToolFaultError:
            self._request, self._offered, self._asked = before
            return words.NOT_ASKED

    def _one_of_many(self, wording: str) -> Dialogue[str]:
        """The reply to a turn of a person who may ask something else each time."""
        readable, self._readable = self._readable, ""
        leaves_out = readable and phrase("leaves_out").search(wording.lower())
        is_chosen = bool(self._offered or self._unplaced)
        now = datetime.fromisoformat(self._now)
        wording = readable if leaves_out else wording
        unread = () if leaves_out or is_chosen else unread_words(wording, now)
        if not (self._request.turns or unread) and needs_question_before(wording):
            return words.NOTHING_BEFORE
        if not unread and phrase("asks_twice").search(wording.lower()):
            return words.ONE_AT_A_TIME
        placed = "" if unread else self._placed(wording)
        if placed and not (leaves_out or is_chosen):
            unread = ignored_words(self._request, placed, now, failed=self._replaces(placed))
        if unread:
            self._keep_patient(wording)
            self._readable = without_words(wording, unread)
            return words.unread_reply(unread)
        if not placed:
            return words.which_question(self._request)
        return (yield from self._considered(placed))

    def _keep_patient(self, wording: str) -> None:
        """Forget what was asked before a refused question: the next turn may be about that one."""
        kind, before = self._kind(wording), self._request
        if kind == "follow_up" and before.turns:
            return
        named = read_turn(Request(), wording, datetime.fromisoformat(self._now)).patient
        self._forget()
        self._request = Request(patient=named or before.patient * (kind == "either"))

    def _replaces(self, wording: str) -> bool:
        """True if what a turn names takes the place of what was named before."""
        return self._failed or (self._has_many and swaps(wording))

    def _placed(self, wording: str) -> str:
        """The turn to answer, after forgetting the last request if it is new; "" if in doubt."""
        unplaced, self._unplaced = self._unplaced, ""
        is_choice = unplaced and not phrase("asking").search(wording.lower())
        kind = chosen_kind(wording) if is_choice else "either"
        if kind == "either":
            unplaced, kind = wording, self._kind(wording)
        if kind == "either":
            self._unplaced = wording
            return ""
        if kind == "new":
            self._forget()
        elif self._asks_anew_of_patient(unplaced):
            self._request = _of_same_patient(self._request)
        return unplaced

    def _asks_anew_of_patient(self, wording: str) -> bool:
        """True if a turn says by itself what it asks of the patient before."""
        now = datetime.fromisoformat(self._now)
        alone = read_turn(Request(), wording, now)
        named = any(c.phrase and c.kind not in _OF_PEOPLE for c in alone.all_conditions())
        return (
            self._rows is not None
            and bool(self._request.patient)
            and named
            and _is_whole(alone, wording.lower())
            and not phrase("refers_back").search(wording.lower())
        )

    def _forget(self) -> None:
        """Begin with nothing asked."""
        self._request, self._rows, self._failed = Request(), None, False
        self._offered, self._asked = None, []

    def _kind(self, wording: str) -> TurnKind:
        """A turn's kind; what follows a question of the agent's own is its answer."""
        now = datetime.fromisoformat(self._now)
        is_first = not (self._request.turns or self._request.patient)
        kind = "follow_up" if is_first else turn_kind(self._request, wording, now)
        return "follow_up" if kind == "either" and self._rows is None else kind

    def _considered(self, wording: str) -> Dialogue[str]:
        """Do what a turn asks for, and return the reply."""
        before = self._request = self._with_choice(wording)
        now = datetime.fromisoformat(self._now)
        self._request = read_turn(before, wording, now, failed=self._replaces(wording))
        if (
            self._rows is not None
            and _is_same_request(before, self._request)
            and asks_to_check(wording)
        ):
            return words.checked_reply(self._request, self._rows, self._flow)
        if (
            self._has_many
            and before.turns
            and not (
                _is_answer_changed(before, self._request, wording)
                and _has_asked_shape(self._request, wording, now)
            )
        ):
            self._request = before
            return words.NOT_UNDERSTOOD
        yield from self._lookup.read_tables()
        if missing := self._missing(before, wording):
            return missing
        goal = self._request.goal
        if goal is None:
            return words.ASK_GOAL
        for kind in self._request.kinds():
            if not self._lookup.schema.has(kind):
                return words.missing_kind_reply(kind)
        yield from self._lookup.read_columns(self._request.kinds())
        for kind in self._request.kinds():
            if kind != "cost" and not self._lookup.schema.can_read(kind):
                return words.unreadable_kind_reply(kind)
        self._request = yield from self._lookup.link(self._request)
        unknown = [c for c in _with_anchors(self._request) if not c.stored and not c.is_negated]
        if unknown:
            self._failed = True
            return words.unknown_value_reply(unknown[0])
        if doubt := self._doubt():
            return words.choice_question(doubt)
        return (yield from self._answer(goal))

    def _with_choice(self, wording: str) -> Request:
        """The request with the user's choice, if one was offered."""
        offered, self._offered = self._offered, None
        if offered is None:
            return self._request
        return self._request.with_condition(offered, linking.with_choice(offered, wording))

    def _doubt(self) -> Clause | None:
        """An ambiguous condition that was not asked about yet."""
        doubtful = [c for c in self._request.all_conditions() if linking.is_ambiguous(c)]
        self._offered = next((c for c in doubtful if c.phrase not in self._asked), None)
        self._asked += [self._offered.phrase] if self._offered else []
        return self._offered

    def _missing(self, before: Request, wording: str) -> str:
        """The reply to a request that is not complete yet; empty for one that is."""
        match = phrase("own_table").search(wording.lower())
        thing = clean(match["thing"]) if match else ""
        if thing and self._lacks_table(thing):
            self._failed = True
            return words.missing_table_reply(thing)
        asked, opening = self._request, is_opening(before, wording)
        if _lacks_patient(asked) and _PATIENT not in self._asked:
            self._asked.append(_PATIENT)
            return words.ASK_PATIENT
        vague_goal = asked.goal is None or (
            asked.goal.weak and (opening or is_narrowing(wording.lower()))
        )
        if asked.goal is None or (vague_goal and not asked.patient):
            return words.ASK_GOAL
        if _is_bare(asked) and (asked.vague or opening or asked.goal.shape == "list"):
            return words.ASK_CONDITIONS
        named = asked.target_kind()
        return "" if named or asked.goal.shape == "count" else words.ASK_GOAL

    def _lacks_table(self, thing: str) -> bool:
        tables = " ".join(self._lookup.schema.tables).lower()
        return not any(word.removesuffix("s") in tables for word in thing.split())

    def _answer(self, goal: StatedGoal) -> Dialogue[str]:
        views = self._lookup.schema.views(self._request.kinds(), self._dialect)
        query = link(asked_query(self._request, goal, views), self._request.links)
        try:
            sql = to_sql(query, views)
        except KeyError:
            return words.MISSING_PART
        now = datetime.fromisoformat(self._now)
        run = self._briefing.tool("run_query")
        result = yield from use(run.call(substitute_current_time(sql, now)))
        self._rows = orjson.loads(result)["rows"]
        self._failed = words.is_empty_result(self._rows)
        say = words.nothing_found_reply if self._failed else words.answer_reply
        return say(self._request, self._rows, self._flow)


def _of_same_patient(request: Request) -> Request:
    """A request for nothing yet about the patient, the visit and the stay of another."""
    of_one = Request(patient=request.patient, visit=request.visit, stay=request.stay)
    return replace(of_one, turns=request.turns)


def _with_anchors(request: Request) -> list[Clause]:
    return [c for c in request.clauses() if c.phrase]


def _lacks_patient(request: Request) -> bool:
    """True if the request is about one patient who was not named."""
    goal = request.goal
    if request.patient or (goal and goal.shape in _OF_MANY):
        return False
    single = goal is not None and goal.shape == "value" and goal.which in ("first", "last", "all")
    return request.of_one or single


def _is_bare(request: Request) -> bool:
    """True if the request has neither a firm condition nor a patient."""
    firm = any(not condition.tentative for condition in request.all_conditions())
    asked_of_one = request.patient and request.goal and not request.goal.weak
    return not firm and not asked_of_one


def _is_same_request(before: Request, after: Request) -> bool:
    """True if nothing that matters to the answer has changed."""
    of_one = after.of_one or before.of_one
    before = replace(before, vague=after.vague, indication=after.indication, turns=after.turns)
    return replace(before, of_one=of_one) == replace(after, of_one=of_one)


def _is_answer_changed(before: Request, after: Request, wording: str) -> bool:
    """True unless a turn changes nothing, or asks of a thing that only became a condition.

    "What was the heart rate?" after a question about a length asks for no length, and "And sodium?"
    after one about drugs for no drugs of patients with a test.
    """
    if _is_same_request(before, after):
        return False
    goal = after.goal
    asks_of_many = goal is not None and goal.shape in (*_OF_MANY, "exists")
    asks = phrase("asking").search(wording.lower()) and not asks_of_many
    if goal is None or goal != before.goal or not (asks or swaps(wording)):
        return True
    known = {after.target_kind(), *_OF_PEOPLE, *(c.kind for c in before.all_conditions())}
    new = [c for c in after.all_conditions() if c not in before.all_conditions()]
    return all(c.kind in known or c.is_negated for c in new)


def _has_asked_shape(after: Request, wording: str, now: datetime) -> bool:
    """False if a turn asks for a value, say, and the request after it is still for a number."""
    alone = read_turn(Request(), wording, now)
    if after.goal is None or alone.goal is None or not _is_whole(alone, wording.lower()):
        return True
    return after.goal.shape == alone.goal.shape


def turn_kind(before: Request, wording: str, now: datetime) -> TurnKind:
    """Classifies a turn after a request that was answered.

    A question that is whole by itself is new; one that points back, or lacks what it asks for, goes
    on. A whole question without limits of its own is either if there were limits before, and one
    about visits may be about those of the patient before.

    Args:
        before: The request that was answered.
        wording: The user's words.
        now: The current time of the records.

    >>> asked = read_turn(Request(), "How many patients took aspirin?", datetime(2100, 1, 1))
    >>> turn_kind(asked, "How many women had sepsis?", datetime(2100, 1, 1))
    'new'
    >>> turn_kind(asked, "And how many of them are women?", datetime(2100, 1, 1))
    'follow_up'
    >>> turn_kind(asked, "What is the average length of stay?", datetime(2100, 1, 1))
    'either'
    """
    low = wording.lower().replace("\u2019", "'")
    if phrase("starts_anew").search(low):
        return "new"
    alone = read_turn(Request(), wording, now)
    points_back = phrase("points_back").search(low) is not None
    of_same_patient = alone.of_one and not alone.patient and bool(before.patient)
    if not _is_whole(alone, low) or points_back or of_same_patient or is_narrowing(low):
        return "follow_up"
    if not _is_limited(before) or phrase("of_all").search(low) or alone.patient:
        return "new"
    has_own = any(not c.tentative for c in alone.all_conditions())
    names = "names_persons" if before.patient else "names_people"
    names_people = phrase(names).search(low) is not None
    goes_on = phrase("goes_on").search(low) is not None
    return "new" if has_own and names_people and not goes_on else "either"


def _is_whole(alone: Request, low: str) -> bool:
    """True if a turn says by itself what it asks for."""
    return alone.goal is not None and not alone.goal.weak and bool(phrase("asking").search(low))


def swaps(wording: str) -> bool:
    """True if a question names only what takes the place of what was asked before.

    >>> swaps("And insulin?"), swaps("And how many were women?")
    (True, False)
    """
    low = wording.lower()
    return phrase("swap").search(low) is not None and not phrase("asking").search(low)


def needs_question_before(wording: str) -> bool:
    """True if a turn says nothing by itself of what, or of whom, it asks.

    >>> needs_question_before("And insulin?"), needs_question_before("How many of them died?")
    (True, True)
    >>> needs_question_before("How many women had sepsis, and how many of them died?")
    False
    """
    low = wording.lower()
    people = phrase("names_people").search(low) or phrase("patient").search(low)
    if people is None:
        return swaps(wording) or phrase("pronoun").search(low) is not None
    back = phrase("refers_back").search(low)
    return swaps(wording) or (back is not None and back.start() < people.start())


def chosen_kind(wording: str) -> TurnKind:
    """The answer to the question if a turn is about what was asked before.

    >>> chosen_kind("Of all patients."), chosen_kind("Only those"), chosen_kind("Thanks")
    ('new', 'follow_up', 'either')
    """
    low = wording.lower()
    if phrase("of_all").search(low):
        return "new"
    return "follow_up" if phrase("of_those").search(low) else "either"


def _is_limited(request: Request) -> bool:
    """True if a request is about some of the records only."""
    scope = (request.patient, request.visit, request.stay, request.hours, request.again)
    return any(scope) or any(
        c.phrase or c.condition.bounds or c.condition.periods for c in request.all_conditions()
    )
