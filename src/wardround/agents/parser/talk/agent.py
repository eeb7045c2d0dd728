"""The parser in conversation: it hears, looks things up, asks the database or the user, answers."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import orjson

from wardround.agents.parser.talk import replies as words
from wardround.agents.parser.talk import value_linker as linking
from wardround.agents.parser.talk.goals import narrows
from wardround.agents.parser.talk.mention_finder import clean
from wardround.agents.parser.talk.patterns import phrase
from wardround.agents.parser.talk.query_builder import compose, kinds_used
from wardround.agents.parser.talk.request import Condition, Goal, Request
from wardround.agents.parser.talk.tool_client import Finding, Lookup, use
from wardround.agents.parser.talk.turn_reader import hear, is_opening, wants_check
from wardround.core.actions import Action, Observation, Say
from wardround.core.task import Briefing

_PATIENT = "patient"
_OF_MANY = ("count", "share", "top")  # goals that are about many patients


class TalkingAgent:
    """Keeps what was asked through a talk with a user.

    Args:
        briefing: of which it reads the facts `flow` and `current_time`, and no text.
    """

    def __init__(self, briefing: Briefing) -> None:
        facts = briefing.facts
        self._flow = facts.get("flow", "incre")
        self._now = facts.get("current_time", "2100-12-31 23:59:00")
        self._lookup = Lookup(strict=self._flow == "adapt")
        self._request = Request()
        self._rows: Sequence[Sequence[Any]] | None = None
        self._failed = False
        self._offered: Condition | None = None
        self._asked: list[str] = []
        self._talk: Finding[None] | None = None

    async def act(self, observation: Observation) -> Action:
        """The next action; what a user says and what a tool returns both carry the talk on."""
        if self._talk is None:
            self._talk = self._converse(observation)
            return next(self._talk)
        return self._talk.send(observation)

    def _converse(self, heard: Observation) -> Finding[None]:
        while True:
            reply = yield from self._reply(heard.text)
            heard = yield Say(reply)

    def _reply(self, said: str) -> Finding[str]:
        """What to say to a user's turn, after doing what it takes."""
        before = self._request = self._with_choice(said)
        now = datetime.fromisoformat(self._now)
        self._request = hear(before, said, now, failed=self._failed)
        if self._rows is not None and _same(before, self._request) and wants_check(said):
            return words.checked(self._request, self._rows, self._flow)
        yield from self._lookup.list_tables()
        if missing := self._missing(before, said):
            return missing
        goal = self._request.goal
        if goal is None:
            return words.ASK_GOAL
        for kind in kinds_used(self._request):
            if not self._lookup.schema.has(kind):
                return words.no_records(kind)
        yield from self._lookup.look_into(kinds_used(self._request))
        self._request = yield from self._lookup.link(self._request)
        unknown = [c for c in _with_anchors(self._request) if not c.values and not c.negated]
        if unknown:
            self._failed = True
            return words.unknown_value(unknown[0])
        if doubt := self._doubt():
            return words.which_meant(doubt)
        return (yield from self._answer(goal))

    def _with_choice(self, said: str) -> Request:
        """The request with what was meant, if the user was asked which of several things it is."""
        offered, self._offered = self._offered, None
        if offered is None:
            return self._request
        return self._request.with_condition(offered, linking.picked(offered, said))

    def _doubt(self) -> Condition | None:
        """A thing that may be one of several, which was not asked about yet."""
        doubtful = [c for c in self._request.everything() if linking.in_doubt(c)]
        self._offered = next((c for c in doubtful if c.phrase not in self._asked), None)
        self._asked += [self._offered.phrase] if self._offered else []
        return self._offered

    def _missing(self, before: Request, said: str) -> str:
        """What to say when the request cannot be carried out yet; empty when it can."""
        own = phrase("own_table").search(said.lower())
        thing = clean(own["thing"]) if own else ""
        if thing and self._lacks_table(thing):
            self._failed = True
            return words.no_table(thing)
        asked, opening = self._request, is_opening(before, said)
        if _lacks_patient(asked) and _PATIENT not in self._asked:
            self._asked.append(_PATIENT)
            return words.ASK_PATIENT
        vague_goal = asked.goal is None or (asked.goal.weak and (opening or narrows(said.lower())))
        if asked.goal is None or (vague_goal and not asked.patient):
            return words.ASK_GOAL
        if _is_bare(asked) and (asked.vague or opening or asked.goal.shape == "list"):
            return words.ASK_CONDITIONS
        named = asked.target_kind()
        return "" if named or asked.goal.shape == "count" else words.ASK_GOAL

    def _lacks_table(self, thing: str) -> bool:
        tables = " ".join(self._lookup.schema.tables).lower()
        return not any(word.removesuffix("s") in tables for word in thing.split())

    def _answer(self, goal: Goal) -> Finding[str]:
        query = compose(self._request, goal, self._lookup.schema, self._now)
        result = yield from use("sql_execute", query=query)
        if not result.startswith("{"):
            self._failed = True
            return f"The database could not answer that. {words.ASK_CONDITIONS}"
        self._rows = orjson.loads(result)["rows"]
        self._failed = words.is_nothing(self._rows)
        say = words.nothing_found if self._failed else words.answer
        return say(self._request, self._rows, self._flow)


def _with_anchors(request: Request) -> list[Condition]:
    anchors = [c.relation.anchor for c in request.everything() if c.relation]
    return [c for c in (*request.everything(), *anchors) if c.phrase]


def _lacks_patient(request: Request) -> bool:
    """Whether what is asked is one patient's, and nobody said whose."""
    goal = request.goal
    if request.patient or (goal and goal.shape in _OF_MANY):
        return False
    single = goal is not None and goal.shape == "value" and goal.which in ("first", "last", "all")
    return request.of_one or single


def _is_bare(request: Request) -> bool:
    """Whether there is neither a condition that can be relied on nor a patient."""
    firm = any(not condition.tentative for condition in request.everything())
    asked_of_one = request.patient and request.goal and not request.goal.weak
    return not firm and not asked_of_one


def _same(before: Request, after: Request) -> bool:
    """Whether nothing that matters to the answer has changed."""
    return (
        replace(before, vague=after.vague, indication=after.indication, turns=after.turns) == after
    )
