"""Reads the schema and resolves terms to stored values with the environment's tools."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

import orjson

from wardround.agents.parser.talk import value_linker as linking
from wardround.agents.parser.talk.request import Clause, Request
from wardround.agents.parser.talk.request_merge import without_unfounded
from wardround.agents.parser.talk.schema import Schema, columns_shown, recorded
from wardround.core.actions import Action, Call, Observation
from wardround.core.task import Briefing
from wardround.core.tools import is_error
from wardround.ehr.database import Dialect
from wardround.ehr.query import Condition, Goal, Query, to_sql
from wardround.ehr.records import Role
from wardround.ehr.terms import brands, generics
from wardround.ehr.text.mentions import find_drugs

# A dialogue yields actions and is sent the observations.
Result = TypeVar("Result")
Dialogue: TypeAlias = Generator[Action, Observation, Result]

_OTHER_KIND = {"diagnosis": "procedure", "procedure": "diagnosis", "lab": "vital", "vital": "lab"}
_OTHER_COLUMNS = {"culture": ("name", "test", "specimen"), "admission": ("type", "source")}
_PHRASES = 6  # synonyms of a term to search for
_VALUES = 300  # how many stored values a search returns at most


class ToolFaultError(Exception):
    """A tool failed, which says nothing of the records."""


def use(call: Call) -> Dialogue[str]:
    """Call a tool and return its result.

    Raises:
        ToolFaultError: It failed.
    """
    observation = yield call
    if is_error(observation.text):
        raise ToolFaultError
    return observation.text


class DatabaseLookup:
    """Looks up the schema and stored values, and keeps the schema.

    Args:
        briefing: Its tools look things up.
        dialect: The SQL dialect of the database.
        strict: Whether a brand means that brand alone, as for users who go step by step.
    """

    def __init__(self, briefing: Briefing, dialect: Dialect, *, strict: bool) -> None:
        self.schema = Schema()
        self._briefing = briefing
        self._dialect = dialect
        self._strict = strict

    def read_tables(self) -> Dialogue[None]:
        """Read the names of the tables, once."""
        if not self.schema.tables:
            listed = yield from use(self._briefing.tool("list_tables").call())
            self.schema = replace(self.schema, tables=tuple(orjson.loads(listed)))

    def read_columns(self, kinds: Sequence[str]) -> Dialogue[None]:
        """Read the columns of the tables of these kinds of record, and of admissions."""
        while tables := self.schema.unread([*kinds, "admission"]):
            shown = yield from use(self._briefing.tool("show_table").call(tables[0]))
            columns = {**self.schema.columns, tables[0]: columns_shown(shown)}
            self.schema = replace(self.schema, columns=columns)

    def link(self, request: Request) -> Dialogue[Request]:
        """The request with each term resolved to stored values."""
        for condition in request.unlinked():
            new = yield from self._with_anchor(condition)
            request = request.with_condition(condition, new)
        request = without_unfounded(request)
        yield from self.read_columns(request.kinds())
        return request

    def names_on_record(self, condition: Clause) -> Dialogue[tuple[str, ...]]:
        """The stored values of a condition that records have; a dictionary lists others too."""
        views = self.schema.views([condition.kind], self._dialect)
        role = Role(condition.kind, recorded(condition.kind, condition.column))
        values = Condition(condition.kind, ((role, condition.stored or ()),), scope="record")
        goal = Goal("value", condition.kind, column=role.column, top=0, order="")
        rows = yield from use(
            self._briefing.tool("run_query").call(to_sql(Query(goal, (values,)), views))
        )
        return tuple(str(name) for (name,) in orjson.loads(rows)["rows"])

    def _with_anchor(self, condition: Clause) -> Dialogue[Clause]:
        if condition.anchor and not condition.anchor.is_linked:
            anchor = yield from self._linked(condition.anchor)
            condition = replace(condition, anchor=anchor)
        if condition.is_linked:
            return condition
        return (yield from self._linked(condition))

    def _linked(self, condition: Clause) -> Dialogue[Clause]:
        """Resolve a term, in other columns and kinds of record if need be."""
        if condition.kind == "drug" and condition.column in ("name", "class"):
            return (yield from self._drug(condition))
        for column in dict.fromkeys([condition.column, *_OTHER_COLUMNS.get(condition.kind, ())]):
            texts = yield from self._find(replace(condition, column=column))
            if texts.stored:
                return texts
        unheard_of = len(linking.search_texts(condition)) == 1
        other = _OTHER_KIND.get(condition.kind, "") if unheard_of else ""
        if other and self.schema.has(other):
            yield from self.read_columns([other])
            texts = yield from self._find(condition.changed(kind=other))
            if texts.stored:
                return texts
        return linking.linked(condition, ())

    def _find(self, condition: Clause) -> Dialogue[Clause]:
        if not self.schema.offers(condition.kind, condition.column):
            return condition
        if condition.words.names:
            return (yield from self._find_named(condition))
        phrases = linking.search_texts(condition)
        broad, past = linking.is_general_name(condition), condition.words.has_past
        texts = list[str]()
        for each in phrases[:_PHRASES]:
            texts += yield from self._search("find_values", condition, each)
        chosen = linking.choose_values(phrases, texts, broad=broad, past=past)
        if chosen and not broad:
            return linking.linked(condition, chosen)
        for each in dict.fromkeys(phrases[:2] if broad else [phrases[0], phrases[-1]]):
            key = linking.longest_word(each)
            texts += yield from self._search("find_values", condition, key)
        if chosen := linking.choose_values(phrases, texts, broad=broad, past=past):
            return linking.linked(condition, chosen)
        if chosen := linking.values_with_words(phrases, texts):
            return linking.linked(condition, chosen)
        if condition.tentative or len(phrases) > 1:
            return condition  # a similarity search would match anything
        similar = yield from self._search("find_similar_values", condition, phrases[-1])
        chosen = linking.choose_values(phrases, similar) or linking.most_similar(phrases, similar)
        return linking.linked(condition, chosen)

    def _find_named(self, condition: Clause) -> Dialogue[Clause]:
        """Resolve an attribute by the texts that records are known to hold."""
        if written := self.schema.written(condition.kind, condition.column):
            chosen = tuple(text for text in written if text.lower() in condition.words.names)
            return linking.linked(condition, chosen)
        texts: list[str] = []
        for name in condition.words.names:
            texts += yield from self._search("find_values", condition, name)
            if name in texts:
                return linking.linked(condition, (name,))
        chosen = linking.match_stored_names(condition.words.names, texts)
        return linking.linked(condition, chosen) if chosen else condition

    def _drug(self, condition: Clause) -> Dialogue[Clause]:
        """Resolve a drug by the user's name, and by its generic name unless strict."""
        strict = self._strict and bool(brands(condition.phrase))
        names = linking.drug_patterns(condition, strict)
        if condition.column == "class":
            return linking.linked(condition, names, is_part=True)
        stored: list[str] = []
        for name in names:
            stored += yield from self._search("find_values", condition, name)
        if not stored and not generics(condition.phrase):
            names = yield from self._look_up_drug(condition.phrase)
        if not self._strict:
            names += yield from self._stored_brands(condition, names)
        return linking.linked(condition, names, is_part=True)

    def _stored_brands(self, condition: Clause, names: Sequence[str]) -> Dialogue[tuple[str, ...]]:
        """Brands of a drug that are stored by themselves."""
        drug = generics(condition.phrase) or (condition.phrase,)
        similar = yield from self._search("find_similar_values", condition, condition.phrase)
        values = [value.lower() for value in similar]
        others = [value for value in values if not any(name in value for name in names)]
        drug_brands = brands(drug[0]) if len(drug) == 1 else ()
        return tuple(brand for brand in drug_brands if any(brand in value for value in others))

    def _look_up_drug(self, name: str) -> Dialogue[tuple[str, ...]]:
        """Generic names of an unknown drug, by a web search."""
        web = self._briefing.tool("search_web")
        article = yield from use(web.call(f"{name} drug generic name"))
        first = article.partition("\n\n")[0]
        about = first if name in first.lower() else ""
        return tuple(dict.fromkeys(g for m in find_drugs(about) for g in m.generics))[:3]

    def _search(self, role: str, condition: Clause, value: str) -> Dialogue[list[str]]:
        table, column = self.schema.table_and_column(condition.kind, condition.column)
        result = yield from use(self._briefing.tool(role).call(table, column, value, _VALUES))
        return [str(v) for v in orjson.loads(result)]
