"""A condition in words: each part of it is said, and nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from wardround.ehr.query.model import (
    Between,
    Condition,
    Query,
    Relation,
    Scope,
    Term,
    Value,
    Values,
    Words,
)
from wardround.ehr.query.normal_form import PERSONAL, STAYS, choices, plain_scope
from wardround.ehr.times import TimeFilter, filter_text
from wardround.ehr.times.filter_evaluation import shifted, start_of

_SINGULARS = {"transfer": "ward"}
_NAMES = ("name", "title")
_STATES = {
    "death": "died",
    "alive": "alive",
    "current": "in the hospital now",
    "icu": "in an ICU",
    "admission": "admitted to the hospital",
}
_ANCHORS = {"icu": "an ICU stay", "admission": "a hospital stay", "death": "death"}
# How a patient is said to have a record: the verb, the verb after "after", and any such record.
_VERBS = {
    "diagnosis": ("diagnosed with", "being diagnosed with", "a condition"),
    "procedure": ("underwent", "undergoing", "a procedure"),
    "drug": ("prescribed", "being prescribed", "a drug"),
    "lab": ("tested for", "being tested for", "a lab test"),
    "allergy": ("allergic to", "being allergic to", "a substance"),
}
_MEASURED = {
    ("admission", "length"): "length of stay",
    ("icu", "length"): "length of ICU stay",
}
_AGED = {"admission": "at admission", "patient": "now or at death"}
_NOUNS = {"icu": "ICU stay", "admission": "hospital stay", "transfer": "ward stay"}
_WHICH = {"first": "the first", "last": "the last", "total": "in total"}
_ORDERS = {
    "after": "after",
    "from": "from the time of",
    "before": "before",
    "until": "until the time of",
    "during": "during",
}
_ANY_TIME = "at any time of the patient"
_SCOPES = {"record": "record", "stay": "ICU stay", "admission": "hospital stay"}
# The reading of a condition that a column is filled in.
_EVENTS = {
    ("admission", "time"): "admitted to the hospital",
    ("admission", "finish"): "discharged from the hospital",
    ("icu", "time"): "ICU stay begun",
    ("icu", "finish"): "ICU stay ended",
}
_OWN_SCOPES: dict[str, Scope] = {kind: scope for scope, kind in STAYS.items()}
_LISTED = 3


def condition_words(condition: Condition, query: Query) -> str:
    """The sentence on a condition of a query; it says whose condition it is unless that is plain.

    Plain is the record or stay that is asked for, and the patient where nothing else is asked of
    patients and no other record is near it in time.
    """
    scope = plain_scope(condition, query)
    text = " or ".join(_choice(replace(each, scope=scope)) for each in choices(condition))
    return f"{text[0].upper()}{text[1:]}{_scope(condition, scope, query)}."


def names_in_words(condition: Condition) -> str:
    """The kind and names of a record; "" if it is not told by its name."""
    is_named = condition.values and all(
        texts and role.column in _NAMES for role, texts in condition.values
    )
    return _subject(condition).replace(": ", " ", 1) if is_named else ""


def _scope(condition: Condition, scope: Scope, query: Query) -> str:
    base = query.base
    is_of_record = base == "cost" or (condition.kind == base != "patient")
    usual = "record" if is_of_record else _OWN_SCOPES.get(base, "")
    is_number = any(role.column == scope for role, _ in condition.values)
    is_stay = is_number or (base != "patient" and condition.kind == STAYS.get(scope))
    if scope == usual or condition.kind in PERSONAL or is_stay:
        return ""
    if scope == "patient":
        others = (c for c in (*query.conditions, *query.part) if c.kind not in PERSONAL)
        is_alone = base == "patient" and len(list(others)) == 1
        is_near = any(map(_is_of_patient, choices(condition)))
        return "" if is_alone and not is_near else f", {_ANY_TIME}"
    together = [each for each in (*query.conditions, *query.part) if each.scope == scope]
    is_same = base != "patient" or len(together) > 1
    return f", in {'the same' if is_same else 'one'} {_SCOPES[scope]}"


def _is_of_patient(condition: Condition) -> bool:
    """True if a record and the one that is before or after it share the patient only."""
    near = condition.relation
    return (
        near is not None
        and near.scope == "patient"
        and near.order != "during"
        and near.anchor.kind not in PERSONAL
        and not _is_next_stay(near)
    )


def _is_next_stay(relation: Relation) -> bool:
    """True if the record is a stay and the other one is the patient's next."""
    return relation.at == "finish" and relation.anchor == Condition("admission")


def _choice(condition: Condition) -> str:
    text = " ".join(_parts(condition, _had(condition)))
    if not condition.is_negated:
        return text
    if text.startswith("with "):
        return f"without {text.removeprefix('with ')}"
    if condition.kind == "sex":
        return f"not {text}"
    return f"never {text}" if _has_verb(condition) else f"Not: {text[0].upper()}{text[1:]}"


def _has_verb(condition: Condition) -> bool:
    """True if a patient or stay is said to have a record, rather than the record itself named."""
    roles = (*condition.values, *condition.containing)
    return (
        condition.kind in _VERBS
        and condition.scope != "record"
        and condition.which == "any"
        and condition.measured == "value"
        and all(texts and role.column in _NAMES for role, texts in roles)
    )


def _had(condition: Condition) -> str:
    """The verb of a condition; "" for one that is named by its kind."""
    if not _has_verb(condition):
        return ""
    return "with" if condition.bounds else _VERBS[condition.kind][0]


def _having(condition: Condition) -> str:
    """The verb of a condition after a preposition."""
    if not _has_verb(condition):
        return ""
    return "having" if condition.bounds else _VERBS[condition.kind][1]


def _parts(condition: Condition, verb: str) -> Iterator[str]:
    if condition.which != "any":
        yield _WHICH[condition.which]
    if condition.measured == "age":
        limits = " and ".join(f"{each.operator} {each.number:g}" for each in condition.bounds)
        yield f"aged {limits or 'on record'} {_AGED.get(condition.kind, 'at the time')}"
    else:
        yield f"{verb} {_object(condition)}" if verb else _subject(condition)
    for bound in condition.bounds if condition.measured != "age" else ():
        unit = bound.unit or ("day" if condition.measured == "length" else "")
        unit = f" {unit}s" if unit else ""
        yield f"{bound.operator} {bound.number:g}{unit}"
    for bound in condition.ages:
        yield f"at an age {bound.operator} {bound.number:g}"
    if condition.count:
        yield f"{condition.count.operator} {condition.count.number:g} times"
    if condition.is_in_icu:
        yield "in an ICU"
    for period in condition.periods:
        yield _opposite(_period(period.filter)) if period.is_negated else _period(period.filter)
    if condition.relation:
        yield from _order(condition.relation)
    if condition.scope != "patient" and _is_of_patient(condition):
        yield _ANY_TIME


def _object(condition: Condition) -> str:
    """The names of a record, or any of its kind, with what else must be in it."""
    texts = dict.fromkeys(value_words(value) for _, value in condition.values)
    text = " or ".join(texts) or _VERBS[condition.kind][2]
    parts = " and ".join(listed(texts) for _, texts in condition.containing)
    text += f" containing {parts}" if parts else ""
    return " and ".join([text, *_named(condition.kind, condition.also, " and ")])


def _subject(condition: Condition) -> str:
    """A record named by its kind."""
    if condition.kind == "sex":
        return " or ".join(value_words(value) for _, value in condition.values)
    named = list(_named(condition.kind, condition.values, " or "))
    named += _named(condition.kind, condition.also, " and ")
    parts = _named(condition.kind, condition.containing, " and ")
    named += (part.replace(": ", " containing ") for part in parts)
    if condition.measured != "value":
        measured = _MEASURED.get((condition.kind, condition.measured), condition.measured)
        return f"{measured} of {' and '.join(named)}" if named else measured
    states = _STATES if condition.which == "any" else _NOUNS
    return " and ".join(named) or states.get(condition.kind, condition.kind)


def _order(relation: Relation) -> Iterator[str]:
    anchor = relation.anchor
    is_any = anchor == Condition(anchor.kind)
    words = " ".join(_parts(anchor, _having(anchor)))
    if anchor.kind in _ANCHORS:
        words = words.replace(_STATES[anchor.kind], _ANCHORS[anchor.kind], 1)
    if relation.order == "during" and relation.within:
        stay = f"its {_SCOPES.get(relation.scope, anchor.kind)}"
        yield f"in the first {relation.within} of {stay if is_any else words}"
        return
    if _is_next_stay(relation):
        within = f" within {relation.within}" if relation.within else ""
        yield f"followed by another stay{within} of its end"
        return
    if relation.at == "finish":
        yield "ended"
    order = _ORDERS[relation.order]
    order += " or on the same day as" if relation.by_day else ""
    yield f"{order} {words}"
    if relation.within:
        yield f"within {relation.within}"
    if relation.scope != "patient":
        yield f"of the same {_SCOPES[relation.scope]}"


def _opposite(time: str) -> str:
    """All other times.

    >>> _opposite("since 2100"), _opposite("until 2100"), _opposite("in 2100")
    ('before 2100', 'after 2100', 'not in 2100')
    """
    first, _, rest = time.partition(" ")
    word = {"since": "before", "until": "after", "before": "since"}.get(first)
    return f"{word} {rest}" if word else f"not {time}"


def _period(filter: TimeFilter | Between) -> str:
    """A time in words.

    >>> from datetime import datetime
    >>> _period(Between(datetime(2100, 1, 1), datetime(2101, 1, 1)))
    'in 2100'
    >>> _period(Between(datetime(2100, 1, 1), datetime(2100, 3, 1)))
    'from 2100-01-01 until before 2100-03-01'
    """
    if isinstance(filter, TimeFilter):
        return filter_text(filter)
    since, until = filter.since, filter.until
    if since and until and since == start_of(since, "year") and until == shifted(since, 1, "year"):
        return f"in {since:%Y}"
    if since and not until:
        return f"since {_moment(since)}"
    if until and not since:
        return f"before {_moment(until)}"
    named = (("from", since), ("until before", until))
    return " ".join(f"{word} {_moment(time)}" for word, time in named if time)


def _moment(time: datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S}".removesuffix(" 00:00:00")


def _named(kind: str, values: Values, joint: str) -> Iterator[str]:
    """The texts of each column in one phrase; a column without texts is an event."""
    named: dict[str, list[str]] = {}
    for role, texts in values:
        if not texts:
            yield _EVENTS.get((kind, role.column), f"{role.column} on record")
        elif texts == Term("dead"):
            yield "died during the hospital stay"
        else:
            is_name = role.column in _NAMES
            column = _SINGULARS.get(kind, kind) if is_name else role.column
            phrases = named.setdefault(column, [])
            phrases += [phrase for phrase in [value_words(texts)] if phrase not in phrases]
    if named:
        yield joint.join(f"{column}: {joint.join(texts)}" for column, texts in named.items())


def value_words(value: Value) -> str:
    """A value in words: a term by its name, what the user says, or texts of the records.

    >>> value_words(Term("female")), value_words(Words("lasix")), value_words(("Furosemide",))
    ('female', '"lasix"', "'Furosemide'")
    """
    if isinstance(value, Term):
        return value.name
    return f'"{value.text}"' if isinstance(value, Words) else listed(value)


def listed(values: Sequence[str]) -> str:
    """The first few values in words.

    >>> listed(["a", "b"]), listed("abcde")
    ("'a' or 'b'", "'a', 'b', 'c' or 2 more")
    """
    shown = [value if value.isdigit() else f"'{value}'" for value in values[:_LISTED]]
    if len(values) > _LISTED:
        shown.append(f"{len(values) - _LISTED} more")
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))
