"""The kinds of questions that pairs have, each with the forms of SQL that answer it."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from wardround.agents.pairs import Pair
from wardround.agents.parser.alignment import Form, Said, aligned
from wardround.agents.parser.canonical import Description, described, outline
from wardround.agents.parser.columns import Domain, Types
from wardround.agents.parser.question_reader import Reading
from wardround.agents.parser.sql_skeletons import Apart, literals, shape, taken_apart
from wardround.agents.parser.tokens import number, words
from wardround.ehr.database import quote_text
from wardround.ehr.times import Dialect

# How many questions of one shape of SQL are tried until one says all that is in its query.
_TRIED = 4

# What this share of the questions says is said; what fewer say is understood.
_SAID = 0.5
_NAMED = 0.2


class Variant(NamedTuple):
    """A form of SQL, with the order in which questions say what goes into it.

    Attributes:
        kind: The number of its kind.
        said: For each slot and each time which of a question's it is.
        usual: For each time the template that it mostly has, where another has the same part;
            "" elsewhere.
        wording: How one question of the form is put, with masks for values and times.
        numbers: For each slot the numbers that it took in some of the pairs.
    """

    form: Form
    kind: int
    said: Said
    usual: tuple[str, ...]
    wording: str
    numbers: tuple[tuple[float, ...], ...]


class Shape(NamedTuple):
    """Pairs whose SQL differs only in times and in what their questions say.

    Attributes:
        members: The numbers of the pairs.
        apart: The query of the first, without its times.
    """

    members: list[int]
    apart: Apart


class Speech(NamedTuple):
    """What questions name, and what they leave to be understood.

    Attributes:
        domains: The sets of values that they name.
        fixed: The columns of texts that they never name.
        spoken: The contexts of the numbers that they say.
    """

    domains: tuple[Domain, ...]
    fixed: frozenset[str]
    spoken: frozenset[str]


class Kinds(NamedTuple):
    """The kinds of questions, and what each pair is one of.

    Attributes:
        descriptions: The kinds by number.
        variants: All forms of SQL.
        of_pairs: The kind of each pair; None where it has none that is understood.
    """

    descriptions: list[Description]
    variants: list[Variant]
    of_pairs: list[int | None]


def find_shapes(pairs: Sequence[Pair], dialect: Dialect) -> list[Shape]:
    """The shapes of the pairs' SQL, in the order of the pairs."""
    members: dict[str, list[int]] = defaultdict(list)
    for at, pair in enumerate(pairs):
        if pair.sql is not None:
            members[shape(pair.sql, _says(pair.question))].append(at)
    return [
        Shape(those, taken_apart(pairs[those[0]].sql or "", dialect)) for those in members.values()
    ]


def find_speech(shapes: Sequence[Shape], pairs: Sequence[Pair], types: Types) -> Speech:
    """What questions say of the texts and numbers of their SQL."""
    columns: dict[str, list[bool]] = defaultdict(list)
    contexts: dict[str, list[bool]] = defaultdict(list)
    for one in shapes:
        says = _says(pairs[one.members[0]].question)
        for literal in literals(one.apart.tree, types):
            said = columns[literal.domain.column] if literal.domain else contexts[literal.context]
            said.append(says(literal.node.name))
    fixed = frozenset(name for name, said in columns.items() if _share(said) < _NAMED)
    spoken = frozenset(name for name, said in contexts.items() if _share(said) >= _SAID)
    domains = {
        literal.domain
        for one in shapes
        for literal in literals(one.apart.tree, types, fixed)
        if literal.domain
    }
    return Speech(tuple(sorted(domains)), fixed, spoken)


def find_kinds(
    shapes: Sequence[Shape],
    pairs: Sequence[Pair],
    readings: Sequence[Reading],
    types: Types,
    speech: Speech,
) -> Kinds:
    """The kinds of the pairs, in the order in which they are first met."""
    numbers: dict[str, int] = {}
    alike: dict[str, int] = {}
    wordings: dict[Form, str] = {}
    descriptions: list[Description] = []
    forms: dict[Form, int] = {}
    orders: dict[Form, Counter[Said]] = defaultdict(Counter)
    times: dict[Form, Counter[tuple[str, ...]]] = defaultdict(Counter)
    taken: dict[Form, set[tuple[int, float]]] = defaultdict(set)
    of_pairs: list[int | None] = [None] * len(pairs)
    for one in shapes:
        found = _aligned(one, pairs, readings, types, speech)
        if not found:
            continue
        form, said, member = found
        if form not in forms:
            text = outline(form)
            if text not in alike:
                description = described(form, types)
                if description.name not in numbers:
                    numbers[description.name] = len(descriptions)
                    descriptions.append(description)
                alike[text] = numbers[description.name]
            forms[form] = alike[text]
            wordings[form] = " ".join(readings[member].masked)
        orders[form][said] += len(one.members)
        taken[form].update(_numbers(form, said, readings[member]))
        ids = [filter.template.id for filter in one.apart.filters]
        times[form][tuple(id for id, role in zip(ids, form.roles, strict=True) if role)] += 1
        for member in one.members:
            of_pairs[member] = forms[form]
    variants = [
        Variant(
            form,
            kind,
            _most(orders[form]),
            _templates(form, times[form]),
            wordings[form],
            _by_slot(form, taken[form]),
        )
        for form, kind in forms.items()
    ]
    return Kinds(descriptions, variants, of_pairs)


def _most(counted: Mapping[Said, int]) -> Said:
    return max(sorted(counted), key=lambda said: counted[said])


def _numbers(form: Form, said: Said, reading: Reading) -> Iterator[tuple[int, float]]:
    """Which slots take which numbers of a question."""
    for slot, at in enumerate(said.slots):
        if form.slots[slot].domain is None:
            yield slot, reading.numbers[at].value


def _by_slot(form: Form, taken: Collection[tuple[int, float]]) -> tuple[tuple[float, ...], ...]:
    return tuple(
        tuple(sorted(value for at, value in taken if at == slot)) for slot in range(len(form.slots))
    )


def _templates(form: Form, times: Mapping[tuple[str, ...], int]) -> tuple[str, ...]:
    """The templates that times of one part tell their places by ("today", "yesterday")."""
    usual = max(sorted(times), key=lambda ids: times[ids])
    wanted = [role for role in form.roles if role]
    return tuple(
        id if wanted.count(role) > 1 else "" for id, role in zip(usual, wanted, strict=True)
    )


def _aligned(
    one: Shape,
    pairs: Sequence[Pair],
    readings: Sequence[Reading],
    types: Types,
    speech: Speech,
) -> tuple[Form, Said, int] | None:
    """The form of the first pair whose question says all that has to be said, and its number."""
    for tried, member in enumerate(one.members[:_TRIED]):
        apart = one.apart if tried == 0 else taken_apart(pairs[member].sql or "", one.apart.dialect)
        found = literals(apart.tree, types, speech.fixed)
        form = aligned(apart, found, readings[member], speech.spoken)
        if form:
            return *form, member
    return None


def _says(question: str) -> Callable[[str], bool]:
    """Whether a question says a text, or a number in digits or letters."""
    text = question.lower()
    inside = {word.text for word in words(question)}
    inside |= {str(value) for word in inside if (value := number(word)) is not None}

    def says(literal: str) -> bool:
        named = literal.lower()
        return named in inside or (len(named) > 2 and not named.isdigit() and named in text)

    return says


def _share(said: Sequence[bool]) -> float:
    return sum(said) / max(len(said), 1)


def find_ignored(pairs: Sequence[Pair], readings: Sequence[Reading]) -> list[str]:
    """Values that questions say without meaning them more often than not ("other", "rate")."""
    meant: Counter[str] = Counter()
    for pair, reading in zip(pairs, readings, strict=True):
        sql = (pair.sql or "").lower()
        for mention in reading.mentions if sql else ():
            text = reading.says(mention)
            named = {value.lower() for (value,) in mention.values.values()}
            inside = any(quote_text(n) in sql or (n.isdigit() and n in sql) for n in named)
            meant[text] += 1 if inside else -1
    return sorted(text for text, balance in meant.items() if balance < 0)
