"""Converses with a user: reads turns, looks terms up, asks back, and answers by one query.

A new question can be read alone; one about what was asked before cannot. A word that is not read
is said to the user, so that no answer ignores it.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, get_args

import orjson

from wardround.agents.parser.talk import replies as words
from wardround.agents.parser.talk import value_linker as linking
from wardround.agents.parser.talk.asked_query import asked_query
from wardround.agents.parser.talk.held_period import held_period, timed_condition
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.request import Clause, Request, StatedGoal
from wardround.agents.parser.talk.request_gaps import assumed_table, gap_question, lacks_patient
from wardround.agents.parser.talk.tool_client import DatabaseLookup, Dialogue, ToolFaultError, use
from wardround.agents.parser.talk.turns.short_turn import short_turn
from wardround.agents.parser.talk.turns.turn_effect import is_same_request, is_understood
from wardround.agents.parser.talk.turns.turn_kind import (
    TurnKind,
    asks_anew_of_patient,
    asks_nothing,
    chosen_kind,
    lacks_goal,
    needs_question_before,
    swaps,
    turn_kind,
)
from wardround.agents.parser.talk.turns.turn_reader import asks_to_check, is_opening, read_turn
from wardround.agents.parser.talk.turns.unread_words import unread_words, without_words
from wardround.core.actions import Action, Observation, Say
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
        self._failed = False
        self._offered: Clause | None = None
        self._asked: list[str] = []
        # People ask one question after another; in a trial the user has one.
        self._has_many = facts.get("questions") == "many"
        self._unplaced = ""
        self._readable = ""
        # The patient whom the turn after a refused one may mean; None if the last was not refused.
        self._after_refusal: Request | None = None
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
        before = self._request, self._offered, [*self._asked], self._after_refusal
        try:
            if self._has_many:
                return (yield from self._one_of_many(wording))
            return (yield from self._considered(wording))
        except ToolFaultError:
            self._request, self._offered, self._asked, self._after_refusal = before
            return words.NOT_ASKED

    def _one_of_many(self, wording: str) -> Dialogue[str]:
        """The reply to a turn of a person who may ask something else each time."""
        readable, self._readable = self._readable, ""
        leaves_out = bool(readable) and phrase("leaves_out").search(wording.lower()) is not None
        wording = readable if leaves_out else wording
        was_refused = self._forgot_refused(leaves_out=leaves_out)
        is_choice = leaves_out or bool(self._offered or self._unplaced)
        short = None if is_choice or self._rows is None else short_turn(self._request, wording)
        if short is not None:
            self._request = short
            return (yield from self._answered())
        if not self._request.turns and needs_question_before(wording):
            return self._refusal(wording, words.NOTHING_BEFORE)
        if unread := () if is_choice else self._unread(wording):
            self._readable = without_words(wording, unread)
            return self._refusal(wording, words.unread_reply(unread))
        if not is_choice and asks_nothing(self._request, wording, self._now):
            yield from self._lookup.read_tables()
            return words.scope_reply(self._lookup.schema.has)
        if was_refused and lacks_goal(wording, self._now):
            return self._refusal(wording, words.NOTHING_BEFORE)
        if phrase("asks_twice").search(wording.lower()):
            return self._refusal(wording, words.ONE_AT_A_TIME)
        placed = self._placed(wording)
        if not placed:
            return words.which_question(self._request)
        return (yield from self._considered(placed))

    def _unread(self, wording: str) -> tuple[str, ...]:
        """The words of a turn that nothing reads, whether it is new or goes on."""
        goes_on = [] if self._kind(wording) == "new" else [self._request]
        failed = self._replaces(wording)
        return unread_words([*goes_on, Request()], wording, self._now, failed=failed)

    def _refusal(self, wording: str, reply: str) -> str:
        """The reply to a turn that is not answered; the next one may be about its patient only."""
        kind, before = self._kind(wording), self._request
        named = read_turn(Request(), wording, self._now).patient
        self._after_refusal = Request(patient=named or before.patient * (kind != "new"))
        return reply

    def _forgot_refused(self, *, leaves_out: bool) -> bool:
        """Forget what was asked before a refused turn, unless that turn is taken after all."""
        left, self._after_refusal = self._after_refusal, None
        if left is None or leaves_out:
            return False
        self._forget()
        self._request = left
        return True

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
        elif (
            self._rows is not None
            and self._request.patient
            and asks_anew_of_patient(unplaced, self._now)
        ):
            self._request = self._request.of_same_patient()
        return unplaced

    def _forget(self) -> None:
        """Begin with nothing asked."""
        self._request, self._rows, self._failed = Request(), None, False
        self._offered, self._asked = None, []

    def _kind(self, wording: str) -> TurnKind:
        """A turn's kind; what follows a question of the agent's own is its answer."""
        is_first = not (self._request.turns or self._request.patient)
        kind = "follow_up" if is_first else turn_kind(self._request, wording, self._now)
        return "follow_up" if kind == "either" and self._rows is None else kind

    def _considered(self, wording: str) -> Dialogue[str]:
        """Read a turn, and return the reply to what it asks for."""
        is_choice = self._offered is not None
        before = self._request = self._with_choice(wording)
        after = read_turn(before, wording, self._now, failed=self._replaces(wording))
        is_same = is_same_request(before, after)
        if self._rows is not None and is_same and asks_to_check(wording):
            self._request = after
            return words.checked_reply(self._told(after, self._rows))
        is_heard = is_choice or not (self._has_many and before.turns)
        if not (is_heard or is_understood(before, after, wording, self._now)):
            return self._refusal(wording, words.NOT_UNDERSTOOD)
        self._request = after
        yield from self._lookup.read_tables()
        if question := self._gap(wording, is_opening=is_opening(before, wording)):
            return question
        return (yield from self._answered())

    def _gap(self, wording: str, *, is_opening: bool) -> str:
        """The question for what the request lacks; "" for one that is complete."""
        thing = assumed_table(wording)
        if thing and not self._lookup.schema.names(thing):
            self._failed = True
            return words.missing_table_reply(thing)
        if lacks_patient(self._request) and _PATIENT not in self._asked:
            self._asked.append(_PATIENT)
            return words.ASK_PATIENT
        return gap_question(self._request, wording, is_opening=is_opening)

    def _answered(self) -> Dialogue[str]:
        """Look up the words of a complete request, and return its answer, or why there is none."""
        goal, self._rows = self._request.goal, None
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
        named = (each for each in self._request.clauses() if each.phrase)
        unknown = [each for each in named if not each.stored and not each.is_negated]
        if unknown:
            self._failed = True
            return words.unknown_value_reply(unknown[0])
        if doubt := (yield from self._doubt()):
            return words.choice_question(doubt)
        return (yield from self._result(goal))

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
            return words.MISSING_PART
        run = self._briefing.tool("run_query")
        call = run.call(substitute_current_time(sql, self._now))
        result = yield from use(call)
        found = orjson.loads(result)
        self._rows, self._is_cut_off = found["rows"], found["truncated"]
        self._failed = words.is_empty_result(found["rows"])
        told = self._told(self._request, found["rows"])
        timed = timed_condition(self._request)
        if not (timed and self._failed and self._has_many):
            return told
        held = yield from held_period(timed, views, lambda sql: use(run.call(sql)))
        yield from use(call)  # people see the last query, which has to be that of the answer
        return f"{told} {words.held_period_reply(*held)}" if held else told

    def _told(self, request: Request, rows: Sequence[Sequence[Any]]) -> str:
        """The reply to a result, in words."""
        if words.is_empty_result(rows):
            return words.nothing_found_reply(request, rows, self._flow)
        return words.answer_reply(request, rows, self._flow, is_cut_off=self._is_cut_off)
