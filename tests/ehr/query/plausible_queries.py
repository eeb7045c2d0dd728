"""Questions as a clinician might ask them, drawn from the records of a hospital."""

import random
from dataclasses import replace
from datetime import datetime
from typing import Any

from tests.ehr.query.generated_queries import Ward, named
from wardround.ehr.query import (
    Between,
    Bound,
    Condition,
    Goal,
    Period,
    Query,
    Relation,
    Span,
    Term,
)
from wardround.ehr.query.model import Order
from wardround.ehr.records import Role

GOALS = (
    *("count", "count", "count", "count", "count", "share", "share", "top", "top", "top"),
    *("aggregate", "aggregate", "aggregate", "length", "length", "exists", "names", "names"),
    *("difference", "value", "list", "by", "span"),
)
SPANS = (None, Span(7, "day"), Span(2, "month"), Span(48, "hour"))
ORDERS: tuple[Order, ...] = ("after", "before")
EVENTS = ("diagnosis", "procedure", "drug")


class PlausibleQueries:
    """A stream of queries, the same for the same ward and seed.

    Every condition is of the patient, or of the hospital stay where stays are asked for.
    """

    def __init__(self, ward: Ward, seed: str) -> None:
        self._ward, self._chance = ward, random.Random(seed)
        people, stays, labs = (ward.views.sql[kind] for kind in ("patient", "admission", "lab"))
        self._people = self._rows(f"SELECT e.patient FROM ({people}) e ORDER BY 1")
        self._years = self._rows(f"SELECT DISTINCT year(e.time) FROM ({stays}) e ORDER BY 1")
        self._labs = self._rows(
            f"SELECT e.name FROM ({labs}) e WHERE e.value IS NOT NULL GROUP BY e.name "
            "ORDER BY COUNT(*) DESC, e.name LIMIT 12"
        )

    def _rows(self, sql: str) -> list[Any]:
        return [row[0] for row in self._ward.database.execute(sql, rows=None).rows]

    def draw(self) -> Query:
        """The next query."""
        query = self._draw()
        if query.goal.of != "admission" or query.goal.shape == "span":
            return query
        return replace(query, conditions=tuple(map(_of_stay, query.conditions)))

    def _draw(self) -> Query:
        chance, shape = self._chance, self._chance.choice(GOALS)
        found = [self._person()] if chance.random() < 0.45 else []
        found += [self._event() for _ in range(chance.choice([0, 1, 2] if found else [1, 1, 2]))]
        if shape in ("list", "count"):
            of = (
                "patient" if shape == "list" else chance.choice(["patient", "patient", "admission"])
            )
            return Query(Goal(shape, of), tuple(found))
        if shape == "share":
            return Query(Goal("share"), tuple(found[:1]), (self._event(),))
        if shape == "by":
            return Query(Goal("count", by="sex"), tuple(found[:1]))
        if shape == "top":
            goal = Goal("top", chance.choice(EVENTS), top=chance.choice([1, 3, 5]))
            return Query(goal, tuple(found[:2]))
        if shape == "length":
            function = chance.choice(["AVG", "MAX", "MEDIAN"])
            return Query(Goal("aggregate", "admission", function, "length"), tuple(found[:2]))
        if shape == "aggregate":
            function = chance.choice(["MIN", "MAX", "AVG", "MEDIAN"])
            goal = Goal("aggregate", "lab", function, "value")
            return Query(goal, (self._lab(), *found[:1]))
        return self._of_one_patient(shape)

    def _of_one_patient(self, shape: str) -> Query:
        chance = self._chance
        one = Condition(
            "patient", ((Role("patient", "patient"), (str(chance.choice(self._people)),)),)
        )
        if shape == "exists":
            return Query(Goal("exists"), (self._event(), one))
        if shape == "span":
            return Query(Goal("span", "admission"), (one,))
        if shape == "names":
            return Query(Goal("names", chance.choice(EVENTS)), (one,))
        order = chance.choice(["ASC", "DESC"]) if shape == "value" else ""
        return Query(Goal(shape, "lab", column="value", order=order), (self._lab(), one))

    def _lab(self) -> Condition:
        return Condition("lab", named("lab", [self._chance.choice(self._labs)]), scope="record")

    def _person(self) -> Condition:
        chance = self._chance
        if chance.random() < 0.6:
            sex = Term(chance.choice(["female", "male"]))
            return Condition("sex", ((Role("patient", "sex"), sex),))
        return Condition("death")

    def _event(self) -> Condition:
        chance = self._chance
        if chance.random() < 0.2:
            bound = Bound(chance.choice("<>"), chance.choice([3.5, 10, 100]))
            return replace(self._lab(), bounds=(bound,), scope="patient")
        found, kind = self._named(EVENTS), chance.random()
        if kind < 0.12:
            return replace(found, is_negated=True)
        if kind < 0.24:
            year = chance.choice(self._years)
            period = Between(datetime(year, 1, 1), datetime(year + 1, 1, 1))
            return replace(found, periods=(Period(period),))
        if kind < 0.36:
            return replace(found, count=Bound(">", chance.choice([1, 2])))
        if kind < 0.5:
            anchor, order = self._named(("diagnosis", "drug")), chance.choice(ORDERS)
            return replace(found, relation=Relation(order, anchor, within=chance.choice(SPANS)))
        if kind < 0.58:
            return replace(found, alternatives=(self._named((found.kind,)),))
        return found

    def _named(self, kinds: tuple[str, ...]) -> Condition:
        kind = self._chance.choice([each for each in kinds if self._ward.names(each)])
        return Condition(kind, named(kind, [self._chance.choice(self._ward.names(kind))]))


def _of_stay(condition: Condition) -> Condition:
    if condition.kind in ("sex", "death", "patient"):
        return condition
    others = tuple(replace(each, scope="admission") for each in condition.alternatives)
    return replace(condition, scope="admission", alternatives=others)
