"""Draws what a user turns to when the first request finds nothing, in the eight categories.

Source: EHR-ChatQA, 4.2.3 and Table 10. That the first request fails and the second one does not is
checked by execution.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import TypeAlias

from wardround.authoring.chatqa.increments import Records, Rows
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.ehr.query import Condition, Goal, Query
from wardround.ehr.records import Role
from wardround.ehr.terms.classes import DrugClass, classes_with, drug_classes
from wardround.ehr.terms.conditions import alternative_procedures, conditions
from wardround.ehr.terms.drugs import brands, generics
from wardround.ehr.terms.labs import labs

_MOST_VALUES = 10
_FEW, _MANY = 2, 20  # patients that a kept part of compound criteria finds
# Registries that a hospital could have a table for, and the diagnoses that would be in it.
_REGISTRIES: Mapping[str, str] = {
    "cancer registry": "cancer",
    "stroke registry": "stroke",
    "diabetes registry": "diabetes",
}


@dataclass(frozen=True, slots=True)
class Adaptation:
    """A request that finds nothing, and the one that the user makes then.

    Attributes:
        category: the published category.
        frame: the entry of the wordings.
        slots: what it is filled in with.
        first: the first request; None if it is about a table that does not exist.
        final: the request after the turn, which is the gold.
        wrong: other requests, whose answers must differ from the gold.
    """

    category: str
    frame: str
    slots: Mapping[str, str]
    first: Query | None
    final: Query
    wrong: tuple[Query, ...] = ()


Category: TypeAlias = Callable[[Records, Random], Iterator[Adaptation]]


def reason_to_drop(draft: Adaptation, records: Records) -> str:
    """The reason why a draft makes no task; "" if it makes one."""
    if draft.first is not None and not _is_nothing(records.rows(draft.first)):
        return "the first request finds something"
    rows = records.rows(draft.final)
    if _is_nothing(rows) or any(row[0] is None for row in rows):
        return "the last request finds nothing"
    if len(rows) > _MOST_VALUES:
        return "too many values"
    if any(records.rows(each) == rows for each in draft.wrong):
        return "a wrong request has the same answer"
    return ""


def _is_nothing(rows: Rows) -> bool:
    return all(cell in (None, 0) for row in rows for cell in row)


def brand_to_generic(records: Records, random: Random) -> Iterator[Adaptation]:
    """A brand that no recorded name has, and its generic."""
    texts = _texts(records, "drug")
    for value in _shuffled(records, "drug", random):
        generic = generics(value.stored[0])[0]
        known = [brand for brand in brands(generic)[:3] if not _is_in(brand, texts)]
        for brand in known[:1]:
            first = Condition("drug", containing=((Role("drug", "name"), (brand,)),))
            final = _named(value)
            patient = random.choice(_patients(records, final))
            for goal, frame in (
                (Goal("count", "patient"), "count"),
                (Goal("value", "drug", column="time", order="DESC"), "last_time"),
            ):
                about = (_person(patient),) if frame != "count" else ()
                one, two = (_asked(goal, each, about) for each in (first, final))
                wrong = (one, *( [_asked(Goal("count", "drug"), final, about)] if frame == "count" else []))
                slots = {"brand": brand, "patient": patient}
                yield Adaptation("Brand-generic name resolution", f"brand_{frame}", slots, one, two, wrong)


def within_class(records: Records, random: Random) -> Iterator[Adaptation]:
    """A drug that the patient lacks, and other members of its class."""
    for group in _classes(random):
        members = _members(records, group)
        for patient in _some_patients(records, members, random):
            taken = [each for each in members if patient in _patients(records, _named(each))]
            lacking = [m for m in group.members if all(m not in generics(t.stored[0]) for t in taken)]
            if not lacking or not taken:
                continue
            drug = random.choice(lacking)
            first = _drug(records, drug)
            final = Condition("drug", ((Role("drug", "name"), tuple(t for v in members for t in v.stored)),))
            goal, about = Goal("names", "drug"), (_person(patient),)
            wrong = (_asked(goal, first, about),)
            yield Adaptation(
                "Within-class drug adaptation", "class_members",
                {"drug": drug, "patient": patient}, _asked(goal, first, about), _asked(goal, final, about), wrong,
            )


def cross_class(records: Records, random: Random) -> Iterator[Adaptation]:
    """A class of which the patient has no drug, and another class for the same condition."""
    by_name = {each.name: each for each in drug_classes()}
    for condition in random.sample(conditions(), len(conditions())):
        names = [n for n in (*condition.first_line, *condition.alternatives) if n in by_name]
        if len(names) < 2:
            continue
        treated = _of_condition(records, condition.names)
        if treated is None:
            continue
        for patient in random.sample(_patients(records, treated), 1):
            owned = {
                name: [v for v in _members(records, by_name[name]) if patient in _patients(records, _named(v))]
                for name in names
            }
            absent = [name for name in names if not owned[name]]
            present = [name for name in names if owned[name]]
            if not absent or not present:
                continue
            first_class = by_name[absent[0]]
            first = _any_member(first_class)
            kept = tuple(t for name in present for v in owned[name] for t in v.stored)
            goal, about = Goal("names", "drug"), (_person(patient),)
            final = Condition("drug", ((Role("drug", "name"), kept),))
            yield Adaptation(
                "Cross-class drug substitution", "other_class",
                {"class": first_class.name, "condition": condition.names[0], "patient": patient},
                _asked(goal, first, about), _asked(goal, final, about),
            )


def related_condition(records: Records, random: Random) -> Iterator[Adaptation]:
    """A complication that nobody with a condition has, and another one."""
    for condition in random.sample(conditions(), len(conditions())):
        about = _of_condition(records, condition.names)
        if about is None:
            continue
        others = [(name, _of_condition(records, (name,))) for name in condition.complications]
        for missing in condition.complications:
            absent = _diagnosis(missing)
            for name, present in others:
                if present is None or name == missing:
                    continue
                goal = Goal("count", "patient")
                yield Adaptation(
                    "Clinically related condition lookup", "complication",
                    {"condition": condition.names[0], "first": missing, "then": name},
                    Query(goal, (about, absent)), Query(goal, (about, present)),
                    (Query(goal, (about,)), Query(goal, (present,))),
                )


def other_lab(records: Records, random: Random) -> Iterator[Adaptation]:
    """A test that the patient never had, and one that shows the same."""
    by_text = {value.stored[0].lower(): value for value in records.values.get("lab", ())}
    for lab in random.sample(labs(), len(labs())):
        for name in lab.alternatives:
            value = by_text.get(name.lower())
            if value is None:
                continue
            for patient in random.sample(_patients(records, _named(value)), 2):
                own = (lab.name, *lab.synonyms)
                first = Condition("lab", ((Role("lab", "name"), (lab.name,)),), scope="record")
                final = replace(_named(value), scope="record")
                goal = Goal("value", "lab", column="value", order="DESC")
                about = (_person(patient),)
                yield Adaptation(
                    "Alternative lab test for condition", "other_lab",
                    {"first": random.choice(own), "assesses": lab.assesses, "patient": patient},
                    _asked(goal, first, about), _asked(goal, final, about),
                )


def other_procedure(records: Records, random: Random) -> Iterator[Adaptation]:
    """A procedure that a patient did not have, and another one for the same condition."""
    texts = _texts(records, "procedure")
    for condition in random.sample(conditions(), len(conditions())):
        for group in condition.procedures:
            present = {name: [t for t in texts if name in t.lower()] for name in group}
            for missing in (name for name in group if not present[name]):
                for name in alternative_procedures(missing):
                    if not present.get(name):
                        continue
                    final = Condition("procedure", ((Role("procedure", "name"), tuple(present[name])),))
                    first = Condition("procedure", containing=((Role("procedure", "name"), (missing,)),))
                    goal = Goal("count", "patient")
                    yield Adaptation(
                        "Alternative procedure for treatment", "other_procedure",
                        {"first": missing, "condition": condition.names[0]},
                        _asked(goal, first, ()), _asked(goal, final, ()),
                    )


def compound(records: Records, random: Random) -> Iterator[Adaptation]:
    """Criteria that nobody meets together, and the part that is kept."""
    diagnoses, drugs = records.values.get("diagnosis", ()), records.values.get("drug", ())
    while diagnoses and drugs:
        a, b = random.sample(list(diagnoses), 2)
        c = random.choice(list(drugs))
        kept = (_named(a), _named(b))
        goal = Goal("count", "patient")
        whole, part = Query(goal, (*kept, _named(c))), Query(goal, kept)
        yield Adaptation(
            "Compound criteria with fallback", "compound",
            {"one": a.spoken(random), "two": b.spoken(random), "three": c.spoken(random)},
            whole, part, (Query(goal, (_named(a),)), Query(goal, (_named(b),))),
        )


def schema(records: Records, random: Random) -> Iterator[Adaptation]:
    """A table that does not exist, and the diagnoses in its place."""
    tables = " ".join(records.database.tables()).lower()
    for registry, name in _REGISTRIES.items():
        about = _of_condition(records, (name,))
        if about is None or any(word in tables for word in registry.split()):
            continue
        for value in _shuffled(records, "drug", random)[:20]:
            goal = Goal("count", "patient")
            yield Adaptation(
                "Schema fallback handling", "registry", {"registry": registry, "drug": value.spoken(random)},
                None, Query(goal, (about, _named(value))), (Query(goal, (about,)), Query(goal, (_named(value),))),
            )


CATEGORIES: tuple[Category, ...] = (
    brand_to_generic, within_class, cross_class, related_condition,
    other_lab, other_procedure, compound, schema,
)


def _asked(goal: Goal, condition: Condition, about: tuple[Condition, ...]) -> Query:
    """A question about records of a kind, or about the patients who have them."""
    if goal.of == condition.kind:
        condition = replace(condition, scope="record")
    return Query(goal, (condition, *about))


def _named(value: SpokenValue) -> Condition:
    return Condition(value.role.kind, ((value.role, value.stored),))


def _person(patient: str) -> Condition:
    return Condition("patient", ((Role("patient", "patient"), (patient,)),))


def _diagnosis(name: str) -> Condition:
    from wardround.ehr.terms.diagnoses import formal_names

    return Condition("diagnosis", containing=((Role("diagnosis", "name"), formal_names(name) or (name,)),))


def _of_condition(records: Records, names: tuple[str, ...]) -> Condition | None:
    wanted = {name.lower() for name in names}
    for value in records.values.get("diagnosis", ()):
        if wanted & {word.lower() for word in value.words}:
            return _named(value)
    return None


def _drug(records: Records, generic: str) -> Condition:
    return Condition("drug", containing=((Role("drug", "name"), (generic,)),))


def _any_member(group: DrugClass) -> Condition:
    return Condition("drug", containing=((Role("drug", "name"), group.members),))


def _members(records: Records, group: DrugClass) -> list[SpokenValue]:
    return [v for v in records.values.get("drug", ()) if generics(v.stored[0])[0] in group.members]


def _classes(random: Random) -> list[DrugClass]:
    return random.sample(drug_classes(), len(drug_classes()))


def _shuffled(records: Records, kind: str, random: Random) -> list[SpokenValue]:
    values = list(records.values.get(kind, ()))
    return random.sample(values, len(values))


_CACHE: dict[str, list[str]] = {}


def _patients(records: Records, condition: Condition) -> list[str]:
    key = repr(condition)
    if key not in _CACHE:
        rows = records.rows(Query(Goal("list", "patient"), (condition,)))
        _CACHE[key] = [str(row[0]) for row in rows]
    return _CACHE[key]


def _some_patients(records: Records, values: list[SpokenValue], random: Random) -> list[str]:
    people = sorted({p for value in values for p in _patients(records, _named(value))})
    return random.sample(people, min(2, len(people)))


def _texts(records: Records, kind: str) -> list[str]:
    key = f"texts {kind}"
    if key not in _CACHE:
        sql = f"SELECT DISTINCT t.name FROM ({records.views.sql[kind]}) t WHERE t.name IS NOT NULL"
        _CACHE[key] = [str(row[0]) for row in records.database.execute(sql, rows=None).rows]
    return _CACHE[key]


def _is_in(name: str, texts: list[str]) -> bool:
    return any(name.lower() in text.lower() for text in texts)
