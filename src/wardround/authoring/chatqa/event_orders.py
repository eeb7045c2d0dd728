"""Conditions on the order of two events that go together by the records."""

from collections.abc import Iterator, Sequence
from random import Random

from wardround.authoring.chatqa.asked_records import AskedRecords
from wardround.authoring.chatqa.clinical_sense import meet
from wardround.authoring.chatqa.spoken_values import SpokenValue
from wardround.authoring.chatqa.wish import Wish
from wardround.ehr.query import Bound, Condition, Relation, Span
from wardround.ehr.query.model import Scope
from wardround.ehr.terms.labs import lab_named

_HOURS = (24, 48, 72)
_DAYS_BEFORE = (1, 2, 3, 7)
_DAYS_AWAY = (30, 60, 90, 180)


def drug_after_drug(
    records: AskedRecords, drug: SpokenValue, others: Sequence[SpokenValue], random: Random
) -> Iterator[Wish]:
    """An order of a drug soon after one of another, of two that go together."""
    stays = len(records.stays)
    if earlier := [each for each in others if each is not drug and meet(each, drug, stays)]:
        before, hours = random.choice(earlier), random.choice(_HOURS)
        anchor = Condition("drug", ((before.role, before.stored),), scope="admission")
        relation = Relation("after", anchor, scope="admission", within=Span(hours, "hour"))
        values = ((drug.role, drug.stored),)
        slots = {"name": drug.spoken(random), "before": before.spoken(random), "hours": str(hours)}
        condition = Condition("drug", values, relation=relation, scope="admission")
        yield Wish("sequence.after", slots, condition)


def result_after_drug(
    records: AskedRecords, test: SpokenValue, drugs: Sequence[SpokenValue], random: Random
) -> Iterator[Wish]:
    """A result beyond a limit soon after an order of a drug that goes with the test."""
    stays = len(records.stays)
    earlier = [each for each in drugs if meet(each, test, stays)]
    if earlier and (limit := beyond_limit(test, random)):
        side, bound = limit
        drug, hours = random.choice(earlier), random.choice(_HOURS)
        anchor = Condition("drug", ((drug.role, drug.stored),), scope="admission")
        relation = Relation("after", anchor, scope="admission", within=Span(hours, "hour"))
        condition = Condition(
            "lab",
            ((test.role, test.stored),),
            bounds=(bound,),
            relation=relation,
            scope="admission",
        )
        slots = {
            "name": test.spoken(random),
            "number": f"{bound.number:g}",
            "before": drug.spoken(random),
            "hours": str(hours),
        }
        yield Wish(f"result.{side}", slots, condition)


def drug_before_procedure(
    records: AskedRecords, procedure: SpokenValue, drugs: Sequence[SpokenValue], random: Random
) -> Iterator[Wish]:
    """An order of a drug in the days before a procedure that goes with it, or on its day."""
    stays = len(records.stays)
    if earlier := [each for each in drugs if meet(each, procedure, stays)]:
        drug, days = random.choice(earlier), random.choice(_DAYS_BEFORE)
        anchor = Condition("procedure", ((procedure.role, procedure.stored),), scope="admission")
        relation = Relation(
            "before", anchor, scope="admission", within=Span(days, "day"), by_day=True
        )
        values = ((drug.role, drug.stored),)
        condition = Condition("drug", values, relation=relation, scope="admission")
        slots = {
            "name": drug.spoken(random),
            "procedure": procedure.spoken(random),
            "days": str(days),
        }
        yield Wish("preparation.before", slots, condition)


def return_soon(scope: Scope, random: Random) -> Iterator[Wish]:
    """Another stay of the patient that begins soon after the end of this one."""
    days = random.choice(_DAYS_AWAY)
    relation = Relation("before", Condition("admission"), within=Span(days, "day"), at="finish")
    condition = Condition("admission", relation=relation, scope=scope)
    yield Wish("return.within", {"days": str(days)}, condition)


def beyond_limit(test: SpokenValue, random: Random) -> tuple[str, Bound] | None:
    """A side and limit of the reference range of a test; None if it has no range."""
    lab = lab_named(test.name)
    if lab is None or lab.adult is None:
        return None
    return random.choice(
        (("above", Bound(">", lab.adult.high)), ("below", Bound("<", lab.adult.low)))
    )
