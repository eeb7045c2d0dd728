"""Scores of liver, pancreas and kidney: MELD, Child-Pugh, Ranson and Cockcroft-Gault."""

from math import inf, log

from wardround.ehr.scores.points import (
    Part,
    Points,
    Score,
    graded,
    known_points,
    summed,
)


def meld(
    *,
    bilirubin: float | None = None,
    inr: float | None = None,
    creatinine: float | None = None,
    dialysis: bool | None = None,
) -> Score:
    """MELD as UNOS 2002 (Kamath PS et al., Hepatology 2001;33:464).

    Values below 1 count as 1, creatinine above 4 as 4, a result above 40 as 40.

    Args:
        bilirubin: total, mg/dL.
        inr: INR of prothrombin time.
        creatinine: mg/dL.
        dialysis: twice within the last week; creatinine then counts as 4.
    """
    kidney = Points(0.957 * log(4), 0.957 * log(4))
    if not dialysis:
        term = _logarithm(creatinine, 0.957, 4)
        kidney = Points(term.low, term.high if dialysis is False else kidney.high)
    parts = (
        Part("bilirubin", {"bilirubin": bilirubin}, _logarithm(bilirubin, 0.378)),
        Part("INR", {"inr": inr}, _logarithm(inr, 1.12)),
        Part("creatinine", {"creatinine": creatinine, "dialysis": dialysis}, kidney),
    )
    low, high = (sum(getattr(part.points, end) for part in parts) for end in ("low", "high"))
    assumed = sum(known_points(part) for part in parts)
    return Score("MELD", "UNOS 2002", parts, _meld(low), _meld(high), _meld(assumed))


def _logarithm(value: float | None, weight: float, cap: float = inf) -> Points:
    """The weighted logarithm of a value of at least 1 and at most the cap."""
    if value is None:
        return Points(0, weight * log(cap))
    term = weight * log(min(max(value, 1), cap))
    return Points(term, term)


def _meld(terms: float) -> float:
    return 40 if terms == inf else min(40, int(10 * (terms + 0.643) + 0.5))


def child_pugh(
    *,
    bilirubin: float | None = None,
    albumin: float | None = None,
    inr: float | None = None,
    ascites: int | None = None,
    encephalopathy: int | None = None,
) -> Score:
    """Child-Pugh (Pugh RNH et al., British Journal of Surgery 1973;60:646).

    Prothrombin time is by INR 1.7 and 2.3, the usual equivalent of Pugh's 4 and 6 seconds.

    Args:
        bilirubin: total, mg/dL.
        albumin: g/dL.
        inr: INR of prothrombin time.
        ascites: 0 none, 1 slight, 2 moderate or more.
        encephalopathy: its grade, 0 to 4.
    """
    brain = graded(encephalopathy, ">=", (1, 3), (1, 2, 3))
    parts = (
        Part("bilirubin", {"bilirubin": bilirubin}, _between(bilirubin, 2, 3)),
        Part("albumin", {"albumin": albumin}, _between(_minus(albumin), -3.5, -2.8)),
        Part("INR", {"inr": inr}, _between(inr, 1.7, 2.3)),
        Part("ascites", {"ascites": ascites}, graded(ascites, ">=", (1, 2), (1, 2, 3))),
        Part("encephalopathy", {"encephalopathy": encephalopathy}, brain),
    )
    return summed("Child-Pugh", "Pugh 1973, INR for prothrombin time", parts)


def _minus(value: float | None) -> float | None:
    return None if value is None else -value


def _between(value: float | None, low: float, high: float) -> Points:
    """1 point below, 2 from low to high with both ends, 3 above."""
    first, second = graded(value, ">=", (low,), (1, 2)), graded(value, ">", (high,), (0, 1))
    return Points(first.low + second.low, first.high + second.high)


def ranson(
    *,
    age: float | None = None,
    leukocytes: float | None = None,
    glucose: float | None = None,
    ldh: float | None = None,
    ast: float | None = None,
    hematocrit_fall: float | None = None,
    urea_nitrogen_rise: float | None = None,
    calcium: float | None = None,
    pao2: float | None = None,
    base_deficit: float | None = None,
    fluid_sequestration: float | None = None,
) -> Score:
    """Ranson's criteria (Ranson JHC et al., Surg Gynecol Obstet 1974;139:69).

    Args:
        age: years; with the next four at admission.
        leukocytes: 10^3/uL.
        glucose: mg/dL.
        ldh: IU/L.
        ast: IU/L.
        hematocrit_fall: percentage points; with the rest within 48 hours.
        urea_nitrogen_rise: mg/dL.
        calcium: mg/dL.
        pao2: mmHg.
        base_deficit: mEq/L.
        fluid_sequestration: L.
    """
    rows: tuple[tuple[str, float | None, str, float], ...] = (
        ("age", age, ">", 55),
        ("leukocytes", leukocytes, ">", 16),
        ("glucose", glucose, ">", 200),
        ("ldh", ldh, ">", 350),
        ("ast", ast, ">", 250),
        ("hematocrit_fall", hematocrit_fall, ">", 10),
        ("urea_nitrogen_rise", urea_nitrogen_rise, ">", 5),
        ("calcium", calcium, "<", 8),
        ("pao2", pao2, "<", 60),
        ("base_deficit", base_deficit, ">", 4),
        ("fluid_sequestration", fluid_sequestration, ">", 6),
    )
    parts = tuple(
        Part(name, {name: value}, graded(value, test, (limit,), (0, 1)))
        for name, value, test, limit in rows
    )
    return summed("Ranson", "Ranson 1974", parts)


def cockcroft_gault(
    *,
    age: float | None = None,
    weight: float | None = None,
    creatinine: float | None = None,
    female: bool | None = None,
) -> Score:
    """Creatinine clearance in mL/min (Cockcroft DW, Gault MH, Nephron 1976;16:31).

    Without age, weight or creatinine the formula has no result; the bounds are then 0 and
    infinity. A creatinine of 0 is not a measurement and counts as unknown. Without sex the result
    is between the woman's and the man's.

    Args:
        age: years.
        weight: kg.
        creatinine: mg/dL.
        female: female sex.
    """
    creatinine = creatinine or None
    sex = Points(0.85, 1) if female is None else Points(*(2 * [0.85 if female else 1]))
    values = {"age": age, "weight": weight, "creatinine": creatinine}
    parts = tuple(
        Part(name, {name: value}, Points(0, inf) if value is None else Points(value, value))
        for name, value in values.items()
    )
    parts = (*parts, Part("sex", {"female": female}, sex))
    if age is None or weight is None or creatinine is None:
        return Score("Cockcroft-Gault", "Cockcroft 1976", parts, 0, inf, None)
    man = max(140 - age, 0) * weight / (72 * creatinine)
    return Score(
        "Cockcroft-Gault", "Cockcroft 1976", parts, man * sex.low, man * sex.high, man * sex.high
    )
