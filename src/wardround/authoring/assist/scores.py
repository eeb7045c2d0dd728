"""Clinical scores that a session can ask for: the tests that each is computed from."""

from collections.abc import Mapping, Sequence

from wardround.ehr.scores import FUNCTIONS

# The latest values of these tests are the inputs of a score, in this order.
TESTS: Mapping[str, tuple[str, ...]] = {
    "sirs": ("temperature celsius", "heart rate", "respiratory rate", "white blood cells"),
    "meld": ("bilirubin, total", "inr(pt)", "creatinine"),
    "cockcroft_gault": ("weight", "creatinine"),
}
# The units that the formulas take these tests in.
UNITS: Mapping[str, str] = {
    "temperature celsius": "°C", "weight": "kg", "white blood cells": "K/uL",
    "bilirubin, total": "mg/dL", "creatinine": "mg/dL",
}  # fmt: skip
# Codes of liver disease, without which MELD says nothing.
LIVER = ("571", "572", "K70", "K71", "K72", "K73", "K74", "K76")
_INPUTS: Mapping[str, tuple[str, ...]] = {
    "sirs": ("temperature", "heart_rate", "respiratory_rate", "leukocytes"),
    "meld": ("bilirubin", "inr", "creatinine"),
    "cockcroft_gault": ("weight", "creatinine", "age"),
}


def score_value(name: str, values: Sequence[float | int | str]) -> float:
    """A score as the values of its tests give it; inputs that it is not asked from count nothing.

    Args:
        name: the score.
        values: the values of its tests; for the creatinine clearance also age and sex.

    >>> score_value("sirs", [38.6, 112, 18, 14.2]), score_value("meld", [3.0, 1.8, 2.1])
    (3, 24)
    >>> score_value("cockcroft_gault", [80, 2.0, 70, "female"])
    33
    """
    inputs: dict[str, float | bool] = {
        input: float(value) for input, value in zip(_INPUTS[name], values, strict=False)
    }
    if name == "cockcroft_gault":
        inputs["female"] = values[-1] == "female"
    if name == "meld":
        inputs["dialysis"] = False
    found = FUNCTIONS[name](**inputs).assumed
    if found is None:
        raise ValueError(f"the score {name} has no value without all of its tests")
    return round(found)
