"""Scores of clotting and bleeding: CHA2DS2-VASc, HAS-BLED and Wells for pulmonary embolism."""

from wardround.ehr.scores.points import Part, Score, flag, graded, summed, worst

_CREATININE = 88.42


def cha2ds2_vasc(
    *,
    heart_failure: bool | None = None,
    hypertension: bool | None = None,
    age: float | None = None,
    diabetes: bool | None = None,
    stroke: bool | None = None,
    vascular_disease: bool | None = None,
    female: bool | None = None,
) -> Score:
    """CHA2DS2-VASc (Lip GYH et al., Chest 2010;137:263).

    Args:
        heart_failure: heart failure or left ventricular dysfunction.
        hypertension: a history of it.
        age: years.
        diabetes: diabetes mellitus.
        stroke: stroke, transient ischaemic attack or thromboembolism.
        vascular_disease: myocardial infarction, peripheral artery disease or aortic plaque.
        female: female sex.
    """
    parts = (
        Part("heart failure", {"heart_failure": heart_failure}, flag(heart_failure)),
        Part("hypertension", {"hypertension": hypertension}, flag(hypertension)),
        Part("age", {"age": age}, graded(age, ">=", (65, 75), (0, 1, 2))),
        Part("diabetes", {"diabetes": diabetes}, flag(diabetes)),
        Part("stroke", {"stroke": stroke}, flag(stroke, 2)),
        Part("vascular disease", {"vascular_disease": vascular_disease}, flag(vascular_disease)),
        Part("sex", {"female": female}, flag(female)),
    )
    return summed("CHA2DS2-VASc", "Lip 2010", parts)


def has_bled(
    *,
    systolic: float | None = None,
    renal_replacement: bool | None = None,
    creatinine: float | None = None,
    liver_disease: bool | None = None,
    stroke: bool | None = None,
    bleeding: bool | None = None,
    labile_inr: bool | None = None,
    age: float | None = None,
    drugs: bool | None = None,
    alcohol: bool | None = None,
) -> Score:
    """HAS-BLED (Pisters R et al., Chest 2010;138:1093).

    Args:
        systolic: mmHg.
        renal_replacement: chronic dialysis or a transplanted kidney.
        creatinine: mg/dL; the original's limit is 200 umol/L.
        liver_disease: cirrhosis, or bilirubin above twice and enzymes above thrice the normal.
        stroke: a history of it.
        bleeding: a history of it or a predisposition to it.
        labile_inr: less than 60% of time in the therapeutic range.
        age: years.
        drugs: antiplatelet or non-steroidal anti-inflammatory drugs.
        alcohol: eight or more units a week.
    """
    molar = None if creatinine is None else creatinine * _CREATININE
    renal = worst(flag(renal_replacement), graded(molar, ">=", (200,), (0, 1)))
    values = {"renal_replacement": renal_replacement, "creatinine": creatinine}
    parts = (
        Part("hypertension", {"systolic": systolic}, graded(systolic, ">", (160,), (0, 1))),
        Part("kidney", values, renal),
        Part("liver", {"liver_disease": liver_disease}, flag(liver_disease)),
        Part("stroke", {"stroke": stroke}, flag(stroke)),
        Part("bleeding", {"bleeding": bleeding}, flag(bleeding)),
        Part("labile INR", {"labile_inr": labile_inr}, flag(labile_inr)),
        Part("age", {"age": age}, graded(age, ">", (65,), (0, 1))),
        Part("drugs", {"drugs": drugs}, flag(drugs)),
        Part("alcohol", {"alcohol": alcohol}, flag(alcohol)),
    )
    return summed("HAS-BLED", "Pisters 2010", parts)


def wells_pe(
    *,
    thrombosis_signs: bool | None = None,
    likeliest: bool | None = None,
    heart_rate: float | None = None,
    immobile: bool | None = None,
    earlier_thrombosis: bool | None = None,
    haemoptysis: bool | None = None,
    cancer: bool | None = None,
) -> Score:
    """Wells score for pulmonary embolism (Wells PS et al., Thrombosis and Haemostasis 2000;83:416).

    Args:
        thrombosis_signs: leg swelling and pain on palpation of the deep veins.
        likeliest: another diagnosis is less likely than pulmonary embolism.
        heart_rate: beats a minute.
        immobile: immobile for three days, or operated on in the last four weeks.
        earlier_thrombosis: deep vein thrombosis or pulmonary embolism before.
        haemoptysis: coughing blood.
        cancer: treated in the last six months, or palliative.
    """
    before = {"earlier_thrombosis": earlier_thrombosis}
    parts = (
        Part("signs", {"thrombosis_signs": thrombosis_signs}, flag(thrombosis_signs, 3)),
        Part("likeliest", {"likeliest": likeliest}, flag(likeliest, 3)),
        Part("heart rate", {"heart_rate": heart_rate}, graded(heart_rate, ">", (100,), (0, 1.5))),
        Part("immobile", {"immobile": immobile}, flag(immobile, 1.5)),
        Part("earlier thrombosis", before, flag(earlier_thrombosis, 1.5)),
        Part("haemoptysis", {"haemoptysis": haemoptysis}, flag(haemoptysis)),
        Part("cancer", {"cancer": cancer}, flag(cancer)),
    )
    return summed("Wells PE", "Wells 2000", parts)
