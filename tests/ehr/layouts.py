"""Layouts of imaginary benchmarks, for tests."""

from wardround.core.declaration import Layout

_MIMIC_III = ("patients", "admissions", "icustays", "labevents", "diagnoses_icd")
_MIMIC_IV = ("patients", "admissions", "icustays", "labevents", "diagnoses_icd", "prescriptions")
_NOW = "2105-12-31 23:59:00"
_EARLIER = "2100-12-31 23:59:00"

LAYOUTS = {
    "asked": [
        Layout("ehrsql_mimic_iii", {"mimic_iii": _MIMIC_III}, {"mimic_iii": "preparation"}, _NOW),
        Layout("ehrsql_mimic_iv", {"mimic_iv": _MIMIC_IV}, {"mimic_iv": "preparation"}, _NOW),
        Layout("ehrsql_eicu", {"eicu": ("patient", "lab")}, {"eicu": "preparation"}, _NOW),
    ],
    "renamed": [
        Layout(
            "mimic_iv_star",
            {"mimic_iv": _MIMIC_IV, "ehrsql_mimic_iv": ()},
            {"mimic_iv": "preparation and renaming", "ehrsql_mimic_iv": "renaming"},
            _EARLIER,
        ),
        Layout("eicu_star", current_time=_EARLIER),
    ],
    "whole": [Layout("mimic_iv")],
    "partial": [Layout("mimic_iv", {"mimic_iv": _MIMIC_IV})],
    "elsewhere": [],
}
