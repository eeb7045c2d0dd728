"""Functions over values of a record or of what was said, such as a direction, an age or a score."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal, TypeAlias

from wardround.authoring.assist.facts.scores import score_value
from wardround.ehr.terms.result_changes import direction

Value: TypeAlias = float | int | str
Function: TypeAlias = Literal[
    "direction", "days", "flag", "day", "dose", "age", "count", "date",
    "taking", "level", "smoking", "dependence", "sirs", "meld", "cockcroft_gault",
    "child_pugh", "cha2ds2_vasc", "curb_65", "codes",
]  # fmt: skip
_DAY = len("2180-01-01")
_MILD, _MODERATE = 3, 6  # of ten
_TAKING = ("good", "poor")


def computed(function: Function, values: Sequence[Value]) -> Value:
    """The value of a function; a direction that could be argued about is "".

    >>> computed("direction", [5.6, 4.5, "potassium"])
    'fall'
    >>> computed("days", ["2148-03-30T07:10", "2148-04-02"])
    3
    >>> computed("flag", [5.8, 3.3, 5.1]), computed("day", ["2148-04-02T06:21:00-04:00"])
    ('high', '2148-04-02')
    >>> computed("date", ["2148-02-27", 3]), computed("level", ["6 out of 10"])
    ('2148-03-01', 'moderate')
    """
    first, last = values[0], values[-1]
    match function:
        case "day":
            return str(first)[:_DAY]
        case "dose":
            return f"{first:g} {last}"
        case "days":
            return (_date(last) - _date(first)).days
        case "age":
            born, now = _date(first), _date(last)
            return now.year - born.year - ((now.month, now.day) < (born.month, born.day))
        case "date":
            return (_date(first) + timedelta(days=int(last))).isoformat()
        case "flag":
            value, low, high = map(float, values)
            return "low" if value < low else "high" if value > high else "normal"
        case "direction":
            return direction(str(last), *map(float, values[:2])) or ""
        case "count":
            return first
        case "taking" | "level" | "smoking" | "dependence":
            return _reading(function, str(first))
        case "codes":
            return " ".join(map(str, values))
        case "sirs" | "meld" | "cockcroft_gault" | "child_pugh" | "cha2ds2_vasc" | "curb_65":
            return score_value(function, values)


def _reading(function: Function, told: str) -> str:
    """The state that a patient's words describe."""
    if function == "taking":
        return "taking" if told in _TAKING else "not taking"
    if function == "smoking":
        return "smoking" if told.startswith("tobacco: current") else "not smoking"
    if function == "level":
        points = int(told.split()[0])
        return "mild" if points <= _MILD else "moderate" if points <= _MODERATE else "severe"
    if told.startswith("dependent"):
        return "dependent"
    return "partly dependent" if told.startswith("needs") or ", needs" in told else "independent"


def _date(value: Value) -> date:
    return date.fromisoformat(str(value)[:_DAY])
