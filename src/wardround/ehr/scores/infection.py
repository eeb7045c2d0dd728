"""Scores of infection and organ failure: SOFA, qSOFA, SIRS and CURB-65."""

from wardround.ehr.scores.points import Part, Points, Score, flag, graded, summed, worst

_FIVE = (0, 1, 2, 3, 4)


def sofa(
    *,
    pao2_fio2: float | None = None,
    ventilated: bool | None = None,
    platelets: float | None = None,
    bilirubin: float | None = None,
    mean_pressure: float | None = None,
    dopamine: float | None = None,
    dobutamine: float | None = None,
    epinephrine: float | None = None,
    norepinephrine: float | None = None,
    coma_scale: float | None = None,
    creatinine: float | None = None,
    urine: float | None = None,
) -> Score:
    """SOFA (Vincent JL et al., Intensive Care Medicine 1996;22:707).

    The table leaves bilirubin 12.0 and creatinine 5.0 open; here they give 4 points.

    Args:
        pao2_fio2: PaO2 by FiO2, mmHg.
        ventilated: respiratory support.
        platelets: 10^3/uL.
        bilirubin: total, mg/dL.
        mean_pressure: mean arterial pressure, mmHg.
        dopamine: ug/kg/min for at least an hour, 0 if not given; the next three likewise.
        dobutamine: ug/kg/min.
        epinephrine: ug/kg/min.
        norepinephrine: ug/kg/min.
        coma_scale: Glasgow Coma Scale, 3 to 15.
        creatinine: mg/dL.
        urine: mL a day.
    """
    circulation = worst(
        graded(mean_pressure, "<", (70,), (0, 1)),
        worst(
            graded(dopamine, ">", (0, 5, 15), (0, 2, 3, 4)), graded(dobutamine, ">", (0,), (0, 2))
        ),
        graded(epinephrine, ">", (0, 0.1), (0, 3, 4)),
        graded(norepinephrine, ">", (0, 0.1), (0, 3, 4)),
    )
    pressors = {"dopamine": dopamine, "dobutamine": dobutamine}
    pressors |= {"epinephrine": epinephrine, "norepinephrine": norepinephrine}
    kidney = worst(
        graded(creatinine, ">=", (1.2, 2, 3.5, 5), _FIVE), graded(urine, "<", (500, 200), (0, 3, 4))
    )
    parts = (
        Part(
            "respiration",
            {"pao2_fio2": pao2_fio2, "ventilated": ventilated},
            _respiration(pao2_fio2, ventilated),
        ),
        Part(
            "coagulation",
            {"platelets": platelets},
            graded(platelets, "<", (150, 100, 50, 20), _FIVE),
        ),
        Part("liver", {"bilirubin": bilirubin}, graded(bilirubin, ">=", (1.2, 2, 6, 12), _FIVE)),
        Part("circulation", {"mean_pressure": mean_pressure, **pressors}, circulation),
        Part(
            "nervous system",
            {"coma_scale": coma_scale},
            graded(coma_scale, "<", (15, 13, 10, 6), _FIVE),
        ),
        Part("kidney", {"creatinine": creatinine, "urine": urine}, kidney),
    )
    return summed("SOFA", "Vincent 1996", parts)


def _respiration(ratio: float | None, ventilated: bool | None) -> Points:
    """The points of respiration; 3 and 4 need respiratory support."""
    supported = graded(ratio, "<", (400, 300, 200, 100), _FIVE)
    alone = graded(ratio, "<", (400, 300), (0, 1, 2))
    low = supported if ventilated else alone
    return Points(low.low, (alone if ventilated is False else supported).high)


def qsofa(
    *,
    respiratory_rate: float | None = None,
    systolic: float | None = None,
    coma_scale: float | None = None,
) -> Score:
    """QSOFA (Singer M et al., Sepsis-3, JAMA 2016;315:801).

    Args:
        respiratory_rate: breaths a minute.
        systolic: systolic blood pressure, mmHg.
        coma_scale: Glasgow Coma Scale, 3 to 15; below 15 is altered mentation.
    """
    rate = graded(respiratory_rate, ">=", (22,), (0, 1))
    parts = (
        Part("respiratory rate", {"respiratory_rate": respiratory_rate}, rate),
        Part("pressure", {"systolic": systolic}, graded(systolic, "<=", (100,), (0, 1))),
        Part("mentation", {"coma_scale": coma_scale}, graded(coma_scale, "<", (15,), (0, 1))),
    )
    return summed("qSOFA", "Singer 2016", parts)


def sirs(
    *,
    temperature: float | None = None,
    heart_rate: float | None = None,
    respiratory_rate: float | None = None,
    paco2: float | None = None,
    leukocytes: float | None = None,
    bands: float | None = None,
) -> Score:
    """SIRS criteria (Bone RC et al., ACCP/SCCM, Chest 1992;101:1644).

    Args:
        temperature: degrees Celsius.
        heart_rate: beats a minute.
        respiratory_rate: breaths a minute.
        paco2: mmHg.
        leukocytes: 10^3/uL.
        bands: immature forms, percent.
    """
    heat = worst(graded(temperature, ">", (38,), (0, 1)), graded(temperature, "<", (36,), (0, 1)))
    breath = worst(graded(respiratory_rate, ">", (20,), (0, 1)), graded(paco2, "<", (32,), (0, 1)))
    cells = worst(
        graded(leukocytes, ">", (12,), (0, 1)),
        graded(leukocytes, "<", (4,), (0, 1)),
        graded(bands, ">", (10,), (0, 1)),
    )
    parts = (
        Part("temperature", {"temperature": temperature}, heat),
        Part("heart rate", {"heart_rate": heart_rate}, graded(heart_rate, ">", (90,), (0, 1))),
        Part("breathing", {"respiratory_rate": respiratory_rate, "paco2": paco2}, breath),
        Part("leukocytes", {"leukocytes": leukocytes, "bands": bands}, cells),
    )
    return summed("SIRS", "Bone 1992", parts)


def curb_65(
    *,
    confusion: bool | None = None,
    urea_nitrogen: float | None = None,
    respiratory_rate: float | None = None,
    systolic: float | None = None,
    diastolic: float | None = None,
    age: float | None = None,
) -> Score:
    """CURB-65 (Lim WS et al., Thorax 2003;58:377).

    Args:
        confusion: new mental confusion.
        urea_nitrogen: mg/dL; the original's urea above 7 mmol/L is 19.6.
        respiratory_rate: breaths a minute.
        systolic: mmHg.
        diastolic: mmHg.
        age: years.
    """
    pressure = worst(graded(systolic, "<", (90,), (0, 1)), graded(diastolic, "<=", (60,), (0, 1)))
    rate = graded(respiratory_rate, ">=", (30,), (0, 1))
    parts = (
        Part("confusion", {"confusion": confusion}, flag(confusion)),
        Part("urea", {"urea_nitrogen": urea_nitrogen}, graded(urea_nitrogen, ">", (19.6,), (0, 1))),
        Part("respiratory rate", {"respiratory_rate": respiratory_rate}, rate),
        Part("pressure", {"systolic": systolic, "diastolic": diastolic}, pressure),
        Part("age", {"age": age}, graded(age, ">=", (65,), (0, 1))),
    )
    return summed("CURB-65", "Lim 2003", parts)
