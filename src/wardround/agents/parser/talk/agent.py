"""Converses with a user: reads turns, looks terms up, asks back, and answers by one query."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

import orjson

from wardround.agents.parser.talk import replies as words
from wardround.agents.parser.talk import value_linker as linking
from wardround.agents.parser.talk.asked_query import asked_query
from wardround.agents.parser.talk.goals import is_narrowing
from wardround.agents.parser.talk.mention_finder import clean
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import GOALS_OF_MANY, Clause, Request, StatedGoal
from wardround.agents.parser.talk.tool_client import DatabaseLookup, Dialogue, ToolFaultError, use
from wardround.agents.parser.talk.turns.turn_effect import is_same_request
from wardround.agents.parser.talk.turns.turn_reader import asks_to_check, is_opening, read_turn
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.task import Briefing
from wardround.ehr.database import Dialect
from wardround.ehr.query import link, to_sql
from wardround.ehr.times import substitute_current_time

_PATIENT = "patient"


class ConversationAgent:
    """Keeps a request through a conversation with a user.

    Args:
        briefing: Its tools, and its facts `flow`, `dialect` and `current_time`, are read.
    """

    def __init__(self, briefing: Briefing) -> None:
        facts = briefing.facts
        self._briefing = briefing
        self._flow = facts.get("flow", "incre")
        self._now = datetime.fromisoformat(facts.get("current_time", "2100-12-31 23:59:00"))
        dialects: tuple[Dialect, ...] = get_args(Dialect)
        self._dialect: Dialect = next((d for d in dialects if d == facts.get("dialect")), "sqlite")
        self._lookup = DatabaseLookup(briefing, self._dialect, strict=self._flow == "adapt")
        self._request = Request()
        self._rows: Sequence[Sequence[Any]] | None = None
        self._is_cut_off = False
        self._last_query: Call | None = None
        self._failed = False
        self._offered: Clause | None = None
        self._asked: list[str] = []
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
            return (yield from self._considered(wording))
        except ToolFaultError:
            self._request, self._offered, self._asked = before
            return words.NOT_ASKED

    def _considered(self, wording: str) -> Dialogue[str]:
        """Read a turn, and return the reply to what it asks for."""
        before = self._with_choice(wording)
        after = read_turn(before, wording, self._now, failed=self._failed)
        self._request = after
        if self._rows is not None and is_same_request(before, after) and asks_to_check(wording):
            return words.checked_reply(self._answer_text(after, self._rows))
        return (yield from self._completed(wording, is_opening=is_opening(before, wording)))

    def _completed(self, wording: str, *, is_opening: bool) -> Dialogue[str]:
        """The answer to the request after a turn, or the question for what it lacks."""
        yield from self._lookup.read_tables()
        if question := self._gap(wording, is_opening=is_opening):
            return question
        return (yield from self._answered())

    def _gap(self, wording: str, *, is_opening: bool) -> str:
        """The question for what the request lacks; "" for one that is complete."""
        thing = _assumed_table(wording)
        if thing and not self._lookup.schema.has_table_about(thing):
            self._failed = True
            return words.missing_table_reply(thing)
        if _lacks_patient(self._request) and _PATIENT not in self._asked:
            self._asked.append(_PATIENT)
            return words.ASK_PATIENT
        return _gap_question(self._request, wording, is_opening=is_opening)

    def _answered(self) -> Dialogue[str]:
        """Look up the words of a complete request, and return its answer, or why there is none."""
        goal, self._rows = self._request.goal, None
        if goal is None:
            return words.ASK_GOAL
        for kind in self._request.kinds():
            if not self._lookup.schema.has(kind):
                return self._unanswerable(words.missing_kind_reply(kind), kind)
        yield from self._lookup.read_columns(self._request.kinds())
        for kind in self._request.kinds():
            if kind != "cost" and not self._lookup.schema.can_read(kind):
                return self._unanswerable(words.unreadable_kind_reply(kind), kind)
        self._request = yield from self._lookup.link(self._request)
        named = (each for each in self._request.clauses() if each.phrase)
        unknown = [each for each in named if not each.stored and not each.is_negated]
        if unknown:
            self._failed = True
            return words.unknown_value_reply(unknown[0])
        if doubt := (yield from self._doubt()):
            return words.choice_question(doubt)
        return (yield from self._result(goal))

    def _unanswerable(self, reply: str, kind: str = "") -> str:
        """The reply where the records, or those of a kind, cannot be read."""
        return reply

    def _with_choice(self, wording: str) -> Request:
        """The request with the user's choice, if one was offered."""
        offered, self._offered = self._offered, None
        if offered is None:
            return self._request
        return self._request.with_condition(offered, linking.with_choice(offered, wording))

    def _doubt(self) -> Dialogue[Clause | None]:
        """An ambiguous condition that was not asked about yet, with the names on record."""
        for condition in self._request.all_conditions():
            if condition.phrase in self._asked or not linking.is_ambiguous(condition):
                continue
            names = yield from self._lookup.names_on_record(condition)
            recorded = linking.linked(condition, names or condition.stored or ())
            self._request = self._request.with_condition(condition, recorded)
            if names and linking.is_ambiguous(recorded):
                self._asked.append(recorded.phrase)
                self._offered = recorded
                return recorded
        return None

    def _result(self, goal: StatedGoal) -> Dialogue[str]:
        """Run the query of the request, and return what it found."""
        views = self._lookup.schema.views(self._request.kinds(), self._dialect)
        query = link(asked_query(self._request, goal, views), self._request.links)
        try:
            sql = to_sql(query, views)
        except KeyError:
            return self._unanswerable(words.MISSING_PART)
        query_tool = self._briefing.tool("run_query")
        self._last_query = query_tool.call(substitute_current_time(sql, self._now))
        result = orjson.loads((yield from use(self._last_query)))
        self._rows, self._is_cut_off = result["rows"], result["truncated"]
        self._failed = words.is_empty_result(result["rows"])
        return self._answer_text(self._request, result["rows"])

    def _answer_text(self, request: Request, rows: Sequence[Sequence[Any]]) -> str:
        """The reply to a result, in words."""
        if words.is_empty_result(rows):
            return words.nothing_found_reply(request, rows, self._flow)
        return words.answer_reply(request, rows, self._flow, is_cut_off=self._is_cut_off)


def _gap_question(request: Request, wording: str, *, is_opening: bool) -> str:
    """The question for what a request lacks; "" for one that is complete.

    Args:
        request: The request after a turn.
        wording: The turn.
        is_opening: Whether it opens the conversation with a statement.
    """
    goal = request.goal
    is_vague = goal is None or (goal.weak and (is_opening or is_narrowing(wording.lower())))
    if goal is None or (is_vague and not request.patient):
        return words.ASK_GOAL
    if _is_bare(request) and (request.vague or is_opening or goal.shape == "list"):
        return words.ASK_CONDITIONS
    return "" if request.target_kind() else words.ASK_GOAL


def _lacks_patient(request: Request) -> bool:
    """True if the request is about one patient who was not named."""
    goal = request.goal
    if request.patient or (goal and goal.shape in GOALS_OF_MANY):
        return False
    single = goal is not None and goal.shape == "value" and goal.which in ("first", "last", "all")
    return request.of_one or single


def _assumed_table(wording: str) -> str:
    """The thing that a user assumes a table of its own for; "" if there is none.

    >>> _assumed_table("How many patients are in the cancer registry?")
    'cancer'
    """
    match = phrase("own_table").search(wording.lower())
    return clean(match["thing"]) if match else ""


def _is_bare(request: Request) -> bool:
    """True if the request has neither a firm condition nor a patient."""
    firm = any(not condition.tentative for condition in request.all_conditions())
    asked_of_one = request.patient and request.goal and not request.goal.weak
    return not firm and not asked_of_one
