"""The agent without a model: it hears, looks things up, asks the database, and answers."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeAlias, TypeVar

import orjson

from wardround.agents.keyword import linking, words
from wardround.agents.keyword.hearing import hear, is_opening, wants_check
from wardround.agents.keyword.merging import founded
from wardround.agents.keyword.patterns import phrase
from wardround.agents.keyword.request import Condition, Request
from wardround.agents.keyword.schema import Schema, columns_shown
from wardround.agents.keyword.spotting import clean
from wardround.agents.keyword.sql import compose, kinds_used, needed_views
from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext
from wardround.core.environment import Agent
from wardround.core.task import Briefing
from wardround.ehr.terms import brands, find_drugs, generics

# A behaviour yields actions and goes on with what came back.
Found = TypeVar("Found")
_Finding: TypeAlias = Generator[Action, Observation, Found]

_OTHER_KIND = {"diagnosis": "procedure", "procedure": "diagnosis", "lab": "vital", "vital": "lab"}
_OTHER_COLUMNS = {"culture": ("name", "test", "specimen"), "admission": ("type", "source")}


def keyword_agent(briefing: Briefing, context: AgentContext) -> Agent:
    """Makes an agent that needs no language model; it draws no chance, so the seed is unused.

    Args:
        briefing: of which it reads the facts `flow`, `current_time` and no text.
        context: not used.
    """
    return KeywordAgent(briefing)


class KeywordAgent:
    """Understands a request by its key words and keeps it through the talk."""

    def __init__(self, briefing: Briefing) -> None:
        facts = briefing.facts
        self._flow = facts.get("flow", "incre")
        self._now = facts.get("current_time", "2100-12-31 23:59:00")
        self._schema = Schema()
        self._request = Request()
        self._rows: Sequence[Sequence[Any]] | None = None
        self._failed = False
        self._talk: _Finding[None] | None = None

    async def act(self, observation: Observation) -> Action:
        """The next action; what a user says and what a tool returns both carry the talk on."""
        if self._talk is None:
            self._talk = self._converse(observation)
            return next(self._talk)
        return self._talk.send(observation)

    def _converse(self, heard: Observation) -> _Finding[None]:
        while True:
            reply = yield from self._reply(heard.text)
            heard = yield Say(reply)

    def _reply(self, said: str) -> _Finding[str]:
        """What to say to a user's turn, after doing what it takes."""
        before = self._request
        now = datetime.fromisoformat(self._now)
        self._request = hear(before, said, now, failed=self._failed)
        if self._rows is not None and _same(before, self._request) and wants_check(said):
            return words.checked(self._request, self._rows, self._flow)
        yield from self._list_tables()
        if missing := self._missing(before, said):
            return missing
        for kind in kinds_used(self._request):
            if not self._schema.has(kind):
                return words.no_records(kind)
        yield from self._look_into(kinds_used(self._request))
        yield from self._link_all()
        unknown = [c for c in _with_anchors(self._request) if c.values == () and not c.negated]
        if unknown:
            self._failed = True
            return words.unknown_value(unknown[0])
        return (yield from self._answer())

    def _missing(self, before: Request, said: str) -> str:
        """What to say when the request cannot be carried out yet; empty when it can."""
        own = phrase("own_table").search(said.lower())
        thing = clean(own["thing"]) if own else ""
        if thing and self._lacks_table(thing):
            self._failed = True
            return words.no_table(thing)
        asked, opening = self._request, is_opening(before, said)
        if asked.goal is None or (opening and asked.goal.weak and not asked.patient):
            return words.ASK_GOAL
        if not _firm(asked) and (asked.vague or opening):
            return words.ASK_CONDITIONS
        named = asked.target_kind()
        return "" if named or asked.goal.shape == "count" else words.ASK_GOAL

    def _lacks_table(self, thing: str) -> bool:
        tables = " ".join(self._schema.tables).lower()
        return not any(word.removesuffix("s") in tables for word in thing.split())

    def _answer(self) -> _Finding[str]:
        query = compose(self._request, self._schema, self._now)
        result = yield from self._use("sql_execute", query=query)
        if not result.startswith("{"):
            self._failed = True
            return f"The database could not answer that. {words.ASK_CONDITIONS}"
        self._rows = orjson.loads(result)["rows"]
        self._failed = words.is_nothing(self._rows)
        say = words.nothing_found if self._failed else words.answer
        return say(self._request, self._rows, self._flow)

    def _list_tables(self) -> _Finding[None]:
        if not self._schema.tables:
            listed = yield from self._use("table_search")
            self._schema = replace(self._schema, tables=tuple(orjson.loads(listed)))

    def _look_into(self, kinds: Sequence[str]) -> _Finding[None]:
        """Learns the columns of the tables behind these kinds of record, patients' too."""
        while tables := needed_views([*kinds, "admission"], self._schema):
            shown = yield from self._use("column_search", table=tables[0])
            known = {**self._schema.columns, tables[0]: columns_shown(shown)}
            self._schema = replace(self._schema, columns=known)

    def _link_all(self) -> _Finding[None]:
        for condition in self._request.unlinked():
            new = yield from self._link_with_anchor(condition)
            self._request = self._request.with_condition(condition, new)
        self._request = founded(self._request)
        yield from self._look_into(kinds_used(self._request))

    def _link_with_anchor(self, condition: Condition) -> _Finding[Condition]:
        relation = condition.relation
        if relation and not relation.anchor.linked:
            anchor = yield from self._link(relation.anchor)
            condition = replace(condition, relation=replace(relation, anchor=anchor))
        if condition.linked:
            return condition
        return (yield from self._link(condition))

    def _link(self, condition: Condition) -> _Finding[Condition]:
        """Looks up what the database calls a thing, under other kinds and columns if need be."""
        if condition.kind == "drug":
            return (yield from self._link_drug(condition))
        columns = dict.fromkeys([condition.column, *_OTHER_COLUMNS.get(condition.kind, ())])
        for column in columns:
            found = yield from self._find(replace(condition, column=column))
            if found.values:
                return found
        other = _OTHER_KIND.get(condition.kind, "")
        if other and self._schema.has(other):
            yield from self._look_into([other])
            found = yield from self._find(replace(condition, kind=other))
            if found.values:
                return found
        return linking.linked(condition, (), exact=True)

    def _find(self, condition: Condition) -> _Finding[Condition]:
        if not self._schema.offers(condition.kind, condition.column):
            return condition
        phrases = linking.searched_for(condition)
        broad, found = linking.is_general(condition), list[str]()
        for each in [*phrases[:3], linking.key_word(phrases[-1])]:
            found += yield from self._search("value_substring_search", condition, each)
            if chosen := linking.choose(phrases, found, broad=broad):
                return linking.linked(condition, chosen, exact=True)
        if chosen := linking.holding(phrases, found):
            return linking.linked(condition, chosen, exact=True)
        if condition.tentative:
            return condition  # a mere manner of speaking is like anything
        similar = yield from self._search("value_similarity_search", condition, phrases[-1])
        chosen = linking.choose(phrases, similar) or linking.nearest(phrases, similar)
        return linking.linked(condition, chosen, exact=True)

    def _link_drug(self, condition: Condition) -> _Finding[Condition]:
        """A drug by the user's word for it; by its generic too, unless the user goes by steps."""
        strict = self._flow == "adapt" and bool(brands(condition.phrase))
        names = linking.drug_patterns(condition, strict)
        if condition.column == "class":
            return linking.linked(condition, names, exact=False)
        stored: list[str] = []
        for name in names:
            stored += yield from self._search("value_substring_search", condition, name)
        if not stored and not generics(condition.phrase):
            names = yield from self._look_up_drug(condition.phrase)
        return linking.linked(condition, names, exact=False)

    def _look_up_drug(self, name: str) -> _Finding[tuple[str, ...]]:
        """Other names of a drug that is neither stored nor known."""
        article = yield from self._use("web_search", keyword=f"{name} drug generic name")
        first = article.partition("\n\n")[0]
        about = first if name in first.lower() else ""
        return tuple(dict.fromkeys(g for m in find_drugs(about) for g in m.generics))[:3]

    def _search(self, tool: str, condition: Condition, value: str) -> _Finding[list[str]]:
        kind = condition.kind
        if condition.column == "name":
            kind = self._schema.named_in(kind)
        part = "name" if condition.column == "class" else condition.column
        column = self._schema.column(kind, part)
        table = self._schema.table(kind)
        found = yield from self._use(tool, table=table, column=column, value=value)
        return [str(v) for v in orjson.loads(found)] if found.startswith("[") else []

    def _use(self, tool: str, **arguments: Any) -> _Finding[str]:
        observation = yield Call(tool, arguments)
        return observation.text


def _with_anchors(request: Request) -> list[Condition]:
    anchors = [c.relation.anchor for c in request.conditions if c.relation]
    return [*(c for c in request.conditions if c.phrase), *anchors]


def _firm(request: Request) -> bool:
    """Whether there is a condition that can be relied on."""
    return any(not condition.tentative for condition in request.conditions)


def _same(before: Request, after: Request) -> bool:
    """Whether nothing that matters to the answer has changed."""
    return replace(before, vague=False, indication="") == replace(after, vague=False, indication="")
