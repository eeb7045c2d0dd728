"""Laboratory results calculated from others, which keeps them consistent."""

from collections.abc import Callable, Mapping
from itertools import pairwise

Values = Callable[[str], float]

# Hydrogen ion concentrations (nmol/l) and their pH, for linear interpolation.
_PH = (
    (16, 7.8),
    (20, 7.7),
    (25, 7.6),
    (32, 7.5),
    (40, 7.4),
    (50, 7.3),
    (63, 7.2),
    (79, 7.1),
    (100, 7.0),
    (126, 6.9),
    (158, 6.8),
)


def ph_of(bicarbonate: float, pco2: float) -> float:
    """The pH at that bicarbonate (meq/l) and carbon dioxide (mm hg), after Henderson.

    >>> round(ph_of(24, 40), 2), round(ph_of(10, 25), 2)
    (7.4, 7.22)
    """
    hydrogen = 24 * pco2 / bicarbonate
    for (left, upper), (right, lower) in pairwise(_PH):
        if hydrogen <= right:
            return upper + (lower - upper) * (max(hydrogen, left) - left) / (right - left)
    return _PH[-1][1]


def _chloride(value: Values) -> float:
    return value("sodium") + value("potassium") - value("bicarbonate") - value("anion_gap")


def _hematocrit(value: Values) -> float:
    return 3.02 * value("hemoglobin")


def _red_cells(value: Values) -> float:
    return 10 * _hematocrit(value) / value("mcv")


def _lymphocytes(value: Values) -> float:
    other_cells = ("neutrophils", "monocytes", "eosinophils", "basophils")
    return 100 - sum(value(name) for name in other_cells)


def _base_excess(value: Values) -> float:
    ph = ph_of(value("bicarbonate"), value("pco2"))
    return 0.93 * (value("bicarbonate") - 24.4) + 13.8 * (ph - 7.4)


def _ldl(value: Values) -> float:
    total, hdl = value("cholesterol_total"), value("cholesterol_hdl")
    return total - hdl - value("triglycerides") / 5


DERIVED: Mapping[str, Callable[[Values], float]] = {
    "chloride": _chloride,
    "arterial_ph": lambda value: ph_of(value("bicarbonate"), value("pco2")),
    "hematocrit": _hematocrit,
    "red_blood_cells": _red_cells,
    "mch": lambda value: 10 * value("hemoglobin") / _red_cells(value),
    "mchc": lambda value: 100 * value("hemoglobin") / _hematocrit(value),
    "rdw_sd": lambda value: 0.0365 * value("rdw") * value("mcv"),
    "lymphocytes": _lymphocytes,
    "inr": lambda value: value("pt") / 11.4,
    "base_excess": _base_excess,
    "total_co2": lambda value: value("bicarbonate") + 0.03 * value("pco2"),
    "bilirubin_indirect": lambda value: value("bilirubin_total") - value("bilirubin_direct"),
    "ck_mb_index": lambda value: 100 * value("ck_mb") / value("creatine_kinase"),
    "cholesterol_ldl": _ldl,
    "cholesterol_ratio": lambda value: value("cholesterol_total") / value("cholesterol_hdl"),
    "average_glucose": lambda value: 28.7 * value("hemoglobin_a1c") - 46.7,
}

# Tests that are also measured independently have a small error of their own.
_MEASURED = {"hematocrit": 0.012, "mch": 0.01, "mchc": 0.012, "rdw_sd": 0.01, "arterial_ph": 0.001}


def lab_error(name: str) -> float:
    """The relative error of a derived result."""
    return _MEASURED.get(name, 0.0)
