"""Clinical scores by their original tables, computed from plain values; None is unknown."""

from wardround.ehr.terms.scores.digestive import child_pugh, cockcroft_gault, meld, ranson
from wardround.ehr.terms.scores.infection import curb_65, qsofa, sirs, sofa
from wardround.ehr.terms.scores.points import Part, Score, paper, strict
from wardround.ehr.terms.scores.thromboembolism import cha2ds2_vasc, has_bled, wells_pe

__all__ = [
    "Part",
    "Score",
    "cha2ds2_vasc",
    "child_pugh",
    "cockcroft_gault",
    "curb_65",
    "has_bled",
    "meld",
    "paper",
    "qsofa",
    "ranson",
    "sirs",
    "sofa",
    "strict",
    "wells_pe",
]
