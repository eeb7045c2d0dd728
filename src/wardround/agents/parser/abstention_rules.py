"""Doubts that keep the parser from answering until a person settles them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wardround.agents.parser.columns import ColumnTypes, Domain, noun
from wardround.agents.parser.names.value_index import Mention
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import FilledForm
from wardround.agents.parser.sql.forms import Variant
from wardround.agents.parser.sql.generator import render_sql
from wardround.ehr.query.condition_words import listed

# A name of this many values or more is too general to stand for all of them.
_TOO_GENERAL = 50


@dataclass(frozen=True)
class Choice:
    """One of several meanings.

    Attributes:
        name: The meaning, as a person would choose it.
        sql: The query with that meaning.
    """

    name: str
    sql: str


@dataclass(frozen=True)
class Doubt:
    """A question that a person has to settle before the parser can answer.

    Attributes:
        kind: "missing" where the question leaves something out, "ambiguous" where its words mean
            several things, "unknown" where a name is of nothing in the database.
        about: What is missing ("patient"), or the words in doubt.
        asks: The question to the person.
        choices: The possible meanings, where it is ambiguous.
    """

    kind: Literal["missing", "ambiguous", "unknown"]
    about: str
    asks: str
    choices: tuple[Choice, ...] = ()


def ambiguous_values(filled: FilledForm, reading: Reading, columns: ColumnTypes) -> Doubt | None:
    """A name shared by several values, where the query returns a number about one.

    A query that counts or lists rows covers all of the values at once.
    """
    for at, slot in enumerate(filled.slots):
        mention, domain = slot.filler, slot.slot.domain
        if not isinstance(mention, Mention) or not domain or len(slot.values) == 1:
            continue
        if len(slot.values) < _TOO_GENERAL and not _returns_number(filled.variant, columns):
            continue
        name = reading.written(mention.first, mention.last)
        choices = tuple(
            Choice(value, render_sql(_with_value(filled, at, domain, value)))
            for value in slot.values
        )
        asks = f'By "{name}", which {noun(domain)} do you mean: {listed(slot.values)}?'
        return Doubt("ambiguous", name, asks, choices)
    return None


def ambiguous_columns(best: FilledForm, rival: FilledForm, reading: Reading) -> Doubt | None:
    """A name that the two queries take for values of different columns."""
    for mention, first, second in _read_differently(best, rival):
        name = reading.written(mention.first, mention.last)
        choices = (Choice(first, render_sql(best)), Choice(second, render_sql(rival)))
        asks = f'Is "{name}" {_with_article(first)} or {_with_article(second)}?'
        return Doubt("ambiguous", name, asks, choices)
    return None


def _read_differently(best: FilledForm, rival: FilledForm) -> Iterator[tuple[Mention, str, str]]:
    """The mentions that fill slots of different nouns, with both nouns."""
    for slot in best.slots:
        for two in rival.slots:
            mention, first, second = slot.filler, slot.slot.domain, two.slot.domain
            if not isinstance(mention, Mention) or not first or not second:
                continue
            if mention[:2] == two.filler[:2] and noun(first) != noun(second):
                yield mention, noun(first), noun(second)


def missing_slot(variants: Sequence[Variant], reading: Reading) -> Doubt | None:
    """The slot that the best form of a kind lacks, if it is only one."""
    missing = sorted((list(_missing_slots(variant, reading)) for variant in variants), key=len)
    if not missing or len(missing[0]) != 1:
        return None
    (domain,) = missing[0]
    name = noun(domain) if domain else "number"
    return Doubt("missing", name, f"Which {name} do you mean?")


def unknown_name(name: str) -> Doubt:
    """A name of nothing in the database."""
    asks = f"Nothing in the database is called {name}. What else may it be called?"
    return Doubt("unknown", name, asks)


def _missing_slots(variant: Variant, reading: Reading) -> Iterator[Domain | None]:
    free, numbers = list(reading.mentions), len(reading.numbers)
    for slot in variant.form.slots:
        mention = next((item for item in free if slot.domain in item.values), None)
        if slot.domain and mention:
            free.remove(mention)
        elif slot.domain or not numbers:
            yield slot.domain
        else:
            numbers -= 1


def _with_value(filled: FilledForm, at: int, domain: Domain, value: str) -> FilledForm:
    fillers = list(filled.fillers)
    mention = fillers[at]
    if isinstance(mention, Mention):
        fillers[at] = mention._replace(values={**mention.values, domain: (value,)})
    return filled._replace(fillers=tuple(fillers))


def _returns_number(variant: Variant, columns: ColumnTypes) -> bool:
    """True if a query returns a number from its rows, such as a measurement or its average."""
    from sqlglot import exp

    from wardround.agents.parser.sql.skeletons import parse_sql

    types = {name: type for table in columns.values() for name, type in table.items()}
    select = parse_sql(variant.form.sql, variant.form.dialect).find(exp.Select)
    selected = select.expressions if select else ()
    return any(
        types.get(column.name.lower()) == "number"
        for item in selected
        for column in item.find_all(exp.Column)
    )


def _with_article(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" else f"a {noun}"
