"""Clinical scores that a session can ask for: the values that each is computed from."""

from collections.abc import Mapping, Sequence

from wardround.ehr.scores import FUNCTIONS, Score, coded_inputs

# The latest values of these tests are the inputs of a score, in this order.
TESTS: Mapping[str, tuple[str, ...]] = {
    "sirs": ("temperature celsius", "heart rate", "respiratory rate", "white blood cells"),
    "meld": ("bilirubin, total", "inr(pt)", "creatinine"),
    "child_pugh": ("bilirubin, total", "albumin", "inr(pt)"),
    "cha2ds2_vasc": (),
    "cockcroft_gault": ("weight", "creatinine"),
    "curb_65": (
        "urea nitrogen",
        "respiratory rate",
        "systolic blood pressure",
        "diastolic blood pressure",
    ),
}
# Scores that the codes of all diagnoses are inputs of, and those that need age and sex.
CODED = ("meld", "child_pugh", "cha2ds2_vasc", "curb_65")
PERSONAL: Mapping[str, tuple[str, ...]] = {
    "cha2ds2_vasc": ("age", "female"),
    "cockcroft_gault": ("age", "female"),
    "curb_65": ("age",),
}
# The units that the formulas take these tests in.
UNITS: Mapping[str, str] = {
    "temperature celsius": "°C", "weight": "kg", "white blood cells": "K/uL",
    "bilirubin, total": "mg/dL", "creatinine": "mg/dL", "albumin": "g/dL",
    "urea nitrogen": "mg/dL",
}  # fmt: skip
# A score applies only to patients with a diagnosis of one of these codes.
_PNEUMONIA = (
    *("480", "481", "482", "483", "484", "485", "486"),
    *("J12", "J13", "J14", "J15", "J16", "J18"),
)
_LIVER = ("571", "572", "K70", "K71", "K72", "K73", "K74", "K76")
DISEASES: Mapping[str, tuple[str, ...]] = {
    "meld": _LIVER,
    "child_pugh": _LIVER,
    "cha2ds2_vasc": ("42731", "I48"),
    "curb_65": _PNEUMONIA,
}
_INPUTS: Mapping[str, tuple[str, ...]] = {
    "sirs": ("temperature", "heart_rate", "respiratory_rate", "leukocytes"),
    "meld": ("bilirubin", "inr", "creatinine"),
    "child_pugh": ("bilirubin", "albumin", "inr"),
    "cha2ds2_vasc": (),
    "cockcroft_gault": ("weight", "creatinine"),
    "curb_65": ("urea_nitrogen", "respiratory_rate", "systolic", "diastolic"),
}


def computed_score(name: str, values: Sequence[float | int | str]) -> Score:
    """A score by its values.

    Args:
        name: the score.
        values: the values of its tests; then the codes of all diagnoses, if it is coded, and age
            and sex, if it needs them.
    """
    tests = _INPUTS[name]
    inputs: dict[str, float | bool | None] = {
        input: float(value) for input, value in zip(tests, values, strict=False)
    }
    if name in PERSONAL:
        *values, age, sex = values
        person = {"age": float(age), "female": sex == "female"}
        inputs |= {input: person[input] for input in PERSONAL[name]}
    if name in CODED:
        inputs |= coded_inputs(name, (str(code).replace(".", "") for code in values[len(tests) :]))
    return FUNCTIONS[name](**inputs)


def score_value(name: str, values: Sequence[float | int | str]) -> float:
    """The result of a score by its values; inputs that it is not asked from count nothing.

    >>> score_value("sirs", [38.6, 112, 18, 14.2]), score_value("meld", [3.0, 1.8, 2.1])
    (3, 24)
    >>> score_value("cockcroft_gault", [80, 2.0, 70, "female"])
    33
    >>> score_value("cha2ds2_vasc", ["I48.91", "I10", "E11.9", 76, "male"])
    4
    >>> score_value("curb_65", [24, 32, 112, 58, "J18.9", "R41.0", 70, "male"])
    5
    """
    result = computed_score(name, values).assumed
    if result is None:
        raise ValueError(f"the score {name} has no value without all of its tests")
    return round(result)
