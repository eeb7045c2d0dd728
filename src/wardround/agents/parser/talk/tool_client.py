"""Looking things up with the room's tools: the schema, and what the database calls a thing."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, TypeVar

import orjson

from wardround.agents.parser.talk import value_linker as linking
from wardround.agents.parser.talk.query_builder import kinds_used, needed_views
from wardround.agents.parser.talk.request import Condition, Request
from wardround.agents.parser.talk.request_merge import founded
from wardround.agents.parser.talk.schema import Schema, columns_shown
from wardround.core.actions import Action, Call, Observation
from wardround.ehr.terms import brands, find_drugs, generics

# A behaviour yields actions and goes on with what came back.
Found = TypeVar("Found")
Finding: TypeAlias = Generator[Action, Observation, Found]

_OTHER_KIND = {"diagnosis": "procedure", "procedure": "diagnosis", "lab": "vital", "vital": "lab"}
_OTHER_COLUMNS = {"culture": ("name", "test", "specimen"), "admission": ("type", "source")}
_PHRASES = 6  # ways to say a thing that are searched for
_VALUES = 300  # stored values that a search returns at most


def use(tool: str, **arguments: Any) -> Finding[str]:
    """What a tool returns."""
    observation = yield Call(tool, arguments)
    return observation.text


class Lookup:
    """What the tools have shown so far.

    Args:
        strict: whether a brand means that brand alone, as users mean it who go by steps.
    """

    def __init__(self, strict: bool) -> None:
        self.schema = Schema()
        self._strict = strict

    def list_tables(self) -> Finding[None]:
        """Learns the tables, once."""
        if not self.schema.tables:
            listed = yield from use("table_search")
            self.schema = replace(self.schema, tables=tuple(orjson.loads(listed)))

    def look_into(self, kinds: Sequence[str]) -> Finding[None]:
        """Learns the columns of the tables behind these kinds of record, patients' too."""
        while tables := needed_views([*kinds, "admission"], self.schema):
            shown = yield from use("column_search", table=tables[0])
            known = {**self.schema.columns, tables[0]: columns_shown(shown)}
            self.schema = replace(self.schema, columns=known)

    def link(self, request: Request) -> Finding[Request]:
        """The request with what the database calls each thing."""
        for condition in request.unlinked():
            new = yield from self._with_anchor(condition)
            request = request.with_condition(condition, new)
        request = founded(request)
        yield from self.look_into(kinds_used(request))
        return request

    def _with_anchor(self, condition: Condition) -> Finding[Condition]:
        relation = condition.relation
        if relation and not relation.anchor.linked:
            anchor = yield from self._linked(relation.anchor)
            condition = replace(condition, relation=replace(relation, anchor=anchor))
        if condition.linked:
            return condition
        return (yield from self._linked(condition))

    def _linked(self, condition: Condition) -> Finding[Condition]:
        """Looks up what the database calls a thing, under other kinds and columns if need be."""
        if condition.kind == "drug" and condition.column in ("name", "class"):
            return (yield from self._drug(condition))
        for column in dict.fromkeys([condition.column, *_OTHER_COLUMNS.get(condition.kind, ())]):
            found = yield from self._find(replace(condition, column=column))
            if found.values:
                return found
        unheard_of = len(linking.searched_for(condition)) == 1
        other = _OTHER_KIND.get(condition.kind, "") if unheard_of else ""
        if other and self.schema.has(other):
            yield from self.look_into([other])
            found = yield from self._find(replace(condition, kind=other))
            if found.values:
                return found
        return linking.linked(condition, (), exact=True)

    def _find(self, condition: Condition) -> Finding[Condition]:
        if not self.schema.offers(condition.kind, condition.column):
            return condition
        if condition.names:
            return (yield from self._find_named(condition))
        phrases = linking.searched_for(condition)
        broad, found = linking.is_general(condition), list[str]()
        for each in phrases[:_PHRASES]:
            found += yield from self._search("value_substring_search", condition, each)
        chosen = linking.choose(phrases, found, broad=broad, past=condition.past)
        if chosen and not broad:
            return linking.linked(condition, chosen, exact=True)
        for each in dict.fromkeys(phrases[:2] if broad else [phrases[0], phrases[-1]]):
            key = linking.key_word(each)
            found += yield from self._search("value_substring_search", condition, key)
        if chosen := linking.choose(phrases, found, broad=broad, past=condition.past):
            return linking.linked(condition, chosen, exact=True)
        if chosen := linking.holding(phrases, found):
            return linking.linked(condition, chosen, exact=True)
        if condition.tentative or len(phrases) > 1:
            return condition  # a mere manner of speaking, and a known term, are like anything
        similar = yield from self._search("value_similarity_search", condition, phrases[-1])
        chosen = linking.choose(phrases, similar) or linking.nearest(phrases, similar)
        return linking.linked(condition, chosen, exact=True)

    def _find_named(self, condition: Condition) -> Finding[Condition]:
        """Looks for an attribute under the names that records are known to have for it."""
        found: list[str] = []
        for name in condition.names:
            found += yield from self._search("value_substring_search", condition, name)
            if chosen := linking.stored_as(condition.names, found):
                return linking.linked(condition, chosen, exact=True)
        return condition

    def _drug(self, condition: Condition) -> Finding[Condition]:
        """A drug by the user's word for it; by its generic too, unless the user goes by steps."""
        strict = self._strict and bool(brands(condition.phrase))
        names = linking.drug_patterns(condition, strict)
        if condition.column == "class":
            return linking.linked(condition, names, exact=False)
        stored: list[str] = []
        for name in names:
            stored += yield from self._search("value_substring_search", condition, name)
        if not stored and not generics(condition.phrase):
            names = yield from self._look_up_drug(condition.phrase)
        if not self._strict:
            names += yield from self._stored_brands(condition, names)
        return linking.linked(condition, names, exact=False)

    def _stored_brands(
        self, condition: Condition, names: Sequence[str]
    ) -> Finding[tuple[str, ...]]:
        """Brands of a drug that are stored under none of its other names."""
        drug = generics(condition.phrase) or (condition.phrase,)
        similar = yield from self._search("value_similarity_search", condition, condition.phrase)
        others = [value for value in similar if not any(name in value for name in names)]
        known = brands(drug[0]) if len(drug) == 1 else ()
        return tuple(brand for brand in known if any(brand in value for value in others))

    def _look_up_drug(self, name: str) -> Finding[tuple[str, ...]]:
        """Other names of a drug that is neither stored nor known."""
        article = yield from use("web_search", keyword=f"{name} drug generic name")
        first = article.partition("\n\n")[0]
        about = first if name in first.lower() else ""
        return tuple(dict.fromkeys(g for m in find_drugs(about) for g in m.generics))[:3]

    def _search(self, tool: str, condition: Condition, value: str) -> Finding[list[str]]:
        kind = condition.kind
        if condition.column == "name":
            kind = self.schema.named_in(kind)
        part = "name" if condition.column == "class" else condition.column
        column, table = self.schema.column(kind, part), self.schema.table(kind)
        found = yield from use(tool, table=table, column=column, value=value, k=_VALUES)
        return [str(v) for v in orjson.loads(found)] if found.startswith("[") else []
