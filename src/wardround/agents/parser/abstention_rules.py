"""What keeps the parser from an answer that a person can tell: what is missing or ambiguous."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp

from wardround.agents.parser.column_nouns import noun
from wardround.agents.parser.columns import Domain, Types
from wardround.agents.parser.explanation import listed, said_by
from wardround.agents.parser.form_sql import sql_of
from wardround.agents.parser.kinds import Variant
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.slot_filling import Fitted
from wardround.agents.parser.sql_skeletons import tree_of
from wardround.agents.parser.value_linker import Mention

# A query of so many names or more asks for everything; a person has to say what is meant.
_MOST = 50


@dataclass(frozen=True)
class Choice:
    """One thing that may be meant.

    Attributes:
        name: It, as a person would choose it.
        sql: The query if it is meant.
    """

    name: str
    sql: str


@dataclass(frozen=True)
class Doubt:
    """What a person has to say before a question can be answered.

    Attributes:
        kind: "missing" where the question leaves something out, "ambiguous" where its words mean
            several things, "unknown" where a name is of nothing in the database.
        about: What is missing ("patient"), or the words in doubt.
        asks: The question to the person.
        choices: What may be meant; none where it is missing or unknown.
    """

    kind: Literal["missing", "ambiguous", "unknown"]
    about: str
    asks: str
    choices: tuple[Choice, ...] = ()


def several_values(best: Fitted, reading: Reading, types: Types) -> Doubt | None:
    """A name of several values, where the query gives a number of one of them.

    How many or which rows there are is asked of all of them at once.
    """
    for at, one in enumerate(best.filled):
        mention = one.said
        if not isinstance(mention, Mention) or not one.slot.domain or len(one.values) == 1:
            continue
        if len(one.values) < _MOST and not _gives_a_number(best.variant, types):
            continue
        name, domain = said_by(mention, reading), one.slot.domain
        choices = tuple(
            Choice(value, sql_of(_with_value(best, at, domain, value))) for value in one.values
        )
        asks = f'By "{name}", which {noun(domain)} do you mean: {listed(one.values)}?'
        return Doubt("ambiguous", name, asks, choices)
    return None


def several_columns(best: Fitted, other: Fitted, reading: Reading) -> Doubt | None:
    """The same words taken for values of one column and of another."""
    for mention, mine, its in _taken_otherwise(best, other):
        name = said_by(mention, reading)
        choices = (Choice(mine, sql_of(best)), Choice(its, sql_of(other)))
        return Doubt("ambiguous", name, f'Is "{name}" {_a(mine)} or {_a(its)}?', choices)
    return None


def _taken_otherwise(best: Fitted, other: Fitted) -> Iterator[tuple[Mention, str, str]]:
    """What is of one noun in the one query and of another in the other."""
    for mine in best.filled:
        for its in other.filled:
            mention, first, second = mine.said, mine.slot.domain, its.slot.domain
            if not isinstance(mention, Mention) or not first or not second:
                continue
            if mention[:2] == its.said[:2] and noun(first) != noun(second):
                yield mention, noun(first), noun(second)


def something_missing(variants: Sequence[Variant], reading: Reading) -> Doubt | None:
    """What the best form of a kind needs beyond what the question says, if it is one thing."""
    lacking = sorted((list(_lacking(one, reading)) for one in variants), key=len)
    if not lacking or len(lacking[0]) != 1:
        return None
    (domain,) = lacking[0]
    named = noun(domain) if domain else "number"
    return Doubt("missing", named, f"Which {named} do you mean?")


def nothing_called(name: str) -> Doubt:
    """A name that is of nothing in the database."""
    asks = f"Nothing in the database is called {name}. What else may it be called?"
    return Doubt("unknown", name, asks)


def _lacking(variant: Variant, reading: Reading) -> Iterator[Domain | None]:
    free, numbers = list(reading.mentions), len(reading.numbers)
    for slot in variant.form.slots:
        mention = next((one for one in free if slot.domain in one.values), None)
        if slot.domain and mention:
            free.remove(mention)
        elif slot.domain or not numbers:
            yield slot.domain
        else:
            numbers -= 1


def _with_value(best: Fitted, at: int, domain: Domain, value: str) -> Fitted:
    said = list(best.said)
    mention = said[at]
    if isinstance(mention, Mention):
        said[at] = mention._replace(values={**mention.values, domain: (value,)})
    return best._replace(said=tuple(said))


def _gives_a_number(variant: Variant, types: Types) -> bool:
    """Whether a query gives a number that its rows hold, as a measurement, or makes one of it."""
    kinds = {name: kind for table in types.values() for name, kind in table.items()}
    select = tree_of(variant.form.sql, variant.form.dialect).find(exp.Select)
    shown = select.expressions if select else ()
    return any(
        kinds.get(column.name.lower()) == "number"
        for one in shown
        for column in one.find_all(exp.Column)
    )


def _a(noun: str) -> str:
    return f"an {noun}" if noun[0].lower() in "aeiou" else f"a {noun}"
