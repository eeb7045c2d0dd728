"""Clinical scores by their original tables, from plain values, a chart or a FHIR record.

Every function takes plain values, of which None is unknown. `score_from` finds them in the facts of
a chart (`chart_facts`) or of a FHIR record (`fhir_facts`).
"""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names
from wardround.ehr.scores.digestive import child_pugh, cockcroft_gault, meld, ranson
from wardround.ehr.scores.infection import curb_65, qsofa, sirs, sofa
from wardround.ehr.scores.points import Part, Score, paper, strict
from wardround.ehr.scores.thromboembolism import cha2ds2_vasc, has_bled, wells_pe

if TYPE_CHECKING:
    from wardround.ehr.scores.chart_facts import chart_facts
    from wardround.ehr.scores.facts import Facts
    from wardround.ehr.scores.fhir_facts import fhir_facts
    from wardround.ehr.scores.inputs import (
        FUNCTIONS,
        Windows,
        coded_inputs,
        score_from,
        score_inputs,
    )
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "chart_facts": ("chart_facts",),
            "facts": ("Facts",),
            "fhir_facts": ("fhir_facts",),
            "inputs": ("FUNCTIONS", "Windows", "coded_inputs", "score_from", "score_inputs"),
        },
    )

__all__ = [
    "FUNCTIONS",
    "Facts",
    "Part",
    "Score",
    "Windows",
    "cha2ds2_vasc",
    "chart_facts",
    "child_pugh",
    "cockcroft_gault",
    "coded_inputs",
    "curb_65",
    "fhir_facts",
    "has_bled",
    "meld",
    "paper",
    "qsofa",
    "ranson",
    "score_from",
    "score_inputs",
    "sirs",
    "sofa",
    "strict",
    "wells_pe",
]
