"""The rules that a record meets by its results, scores, orders and diagnoses."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from wardround.authoring.assist.facts.findings import UNASKED, Finding
from wardround.authoring.assist.facts.rules import LATEST, BoundRule, pairs
from wardround.authoring.assist.facts.scores import (
    CODED,
    DISEASES,
    PERSONAL,
    TESTS,
    UNITS,
    computed_score,
    score_value,
)
from wardround.ehr.terms.chinese import english
from wardround.ehr.terms.classes import antibiotics
from wardround.ehr.terms.clinical_rules import (
    AGAINST,
    ClinicalRule,
    clinical_rules,
    held_groups,
    is_of,
    is_of_any,
)
from wardround.ehr.terms.diagnosis_codes import coded_diagnoses
from wardround.ehr.terms.drugs import drug_class
from wardround.ehr.terms.panels import panel_tests
from wardround.ehr.terms.result_limits import result_limits
from wardround.ehr.text.quantities import quantities

_ANTICOAGULANTS = (
    "vitamin k antagonist",
    "heparin",
    "direct factor xa inhibitor",
    "direct thrombin inhibitor",
    "indirect factor xa inhibitor",
)
# The classes of drugs that a score asks for one of.
_TREATED_BY = {"cha2ds2_vasc": _ANTICOAGULANTS}
_INR = "inr(pt)"
_RAISES_INR = ("vitamin k antagonist", "direct factor xa inhibitor", "direct thrombin inhibitor")
_ON_ANTICOAGULANTS = ("V5861", "Z7901")  # long-term use
# A score that asks for cultures, and what they are for: diagnoses, and tests of the score.
_OF_INFECTION = "sirs"
_INFECTIONS = frozenset(("infection", "sepsis"))
_SHOWS_INFECTION = ("temperature celsius", "white blood cells")
# Routes by which drugs act where they are put, and drugs that are not absorbed by another.
_LOCAL = ("topical", "ophthalmic", "intranasal", "vaginal")
_UNABSORBED = (("vancomycin", "oral"), ("vancomycin", "rectal"))


def met_rules(
    values: Mapping[str, Sequence[float]], old: Collection[str] = (), age: int = 0
) -> list[ClinicalRule]:
    """The rules whose test or score shows their sign, and those about two drugs or an age.

    Args:
        values: the values of each test and score in the order of time.
        old: the tests whose latest result is too old to change a dose by.
        age: the patient's age.
    """
    return [
        rule
        for rule in clinical_rules()
        if (not rule.test and rule.age <= age)
        or (rule.test and _is_met(rule, values.get(rule.test, [])) and not _needs_newer(rule, old))
    ]


def _needs_newer(rule: ClinicalRule, old: Collection[str]) -> bool:
    """True if a rule changes a dose by a result that is too old for it."""
    return (rule.action != "order" or rule.also in AGAINST) and any(
        test in old for test in TESTS.get(rule.test, (rule.test,))
    )


def old_tests(hours: Mapping[str, float]) -> frozenset[str]:
    """The tests whose latest result is too old to change a dose by.

    Args:
        hours: the age of the latest result of each test.

    >>> sorted(old_tests({"glucose": 33, "potassium": 8, "thyroid stimulating hormone": 900}))
    ['glucose']
    """
    limits = result_limits()
    return frozenset(t for t, age in hours.items() if t in limits and age > limits[t].recent)


def _is_met(rule: ClinicalRule, values: Sequence[float]) -> bool:
    """True if results show a rule's sign; a rise has to leave the usual range."""
    limits = result_limits().get(rule.test)
    if limits and values and rule.sign == "rising" and limits.is_usual(values[-1]):
        return False
    return rule.is_met(values)


def score_values(
    findings: Sequence[Finding], age: int, sex: str, codes: Sequence[str]
) -> dict[str, list[float]]:
    """The scores of a record by the latest values of their tests.

    Args:
        findings: the findings of the record.
        age: the patient's age on the day of the session.
        sex: "female" or "male".
        codes: the ICD codes of the stay.
    """
    latest = {
        finding.entity.name: finding.slots["value"].source.value
        for finding in findings
        if finding.kind in LATEST and _has_unit(finding)
    }
    if _is_thinned(findings, codes):
        latest.pop(_INR, None)
    scores = {}
    for name, tests in TESTS.items():
        if not _applies(name, codes, findings) or any(test not in latest for test in tests):
            continue
        if name == _OF_INFECTION and not _is_suspected(findings, codes, latest):
            continue
        values = [latest[test] for test in tests]
        values += codes if name in CODED else []
        values += [age, sex] if name in PERSONAL else []
        score = computed_score(name, values)
        # The parts of a score that has coded ones have to be known all of them.
        if name not in CODED or not any(part.missing for part in score.parts):
            scores[name] = [score_value(name, values)]
    return scores


def _is_suspected(
    findings: Sequence[Finding], codes: Sequence[str], latest: Mapping[str, float | int | str]
) -> bool:
    """True if an infection is suspected: by diagnosis, antibiotic, temperature or white cells."""
    drugs = (each.entity.name for each in findings if each.entity.kind == "drug")
    return (
        not _INFECTIONS.isdisjoint(coded_diagnoses(codes))
        or any(is_of_any(drug, antibiotics()) for drug in drugs)
        or not all(result_limits()[test].is_usual(float(latest[test])) for test in _SHOWS_INFECTION)
    )


def _is_thinned(findings: Sequence[Finding], codes: Sequence[str]) -> bool:
    """True if a patient has a drug that raises the INR, which then says nothing of the liver."""
    drugs = (each.entity.name for each in findings if each.entity.kind == "drug")
    return any(is_of_any(drug, _RAISES_INR) for drug in drugs) or any(
        code.startswith(_ON_ANTICOAGULANTS) for code in codes
    )


def _applies(name: str, codes: Sequence[str], findings: Sequence[Finding]) -> bool:
    """True if a patient has the disease that a score is about, and its codes are in a finding."""
    diseases = DISEASES.get(name)
    is_listed = name not in CODED or any("codes" in each.slots for each in findings)
    return is_listed and (not diseases or any(code.startswith(diseases) for code in codes))


def _has_unit(finding: Finding) -> bool:
    """True if a result is in the unit that formulas take it in."""
    unit = finding.slots["unit"].source.value if "unit" in finding.slots else ""
    return UNITS.get(finding.entity.name, unit) == unit


def bound_rules(
    ordered: Sequence[str],
    met: Sequence[ClinicalRule],
    diagnoses: Collection[str] = (),
    treated: Collection[str] = (),
) -> list[BoundRule]:
    """The rules that a record meets, each with one pair of the drugs that are ordered now.

    A rule is left out if only the patient can tell that it applies, as with an untaken or a bought
    drug; if it warns of a disease that the patient has; if the patient has, is treated for or shows
    in a result a disease under which it does not hold; or if it continues or starts a drug that a
    result or a diagnosis forbids.

    Args:
        ordered: the drugs that are ordered, by their generic names.
        met: the rules whose test the record meets, and those about two drugs.
        diagnoses: the diagnoses of the stay that rules know.
        treated: the diseases that the patient's home drugs are for.
    """
    held, present = held_groups(met, diagnoses), present_diseases(met, diagnoses, treated)
    bound: list[BoundRule] = []
    for rule in met:
        if rule.action == "resupply" or rule.sign == "bought" or rule.risk in diagnoses:
            continue
        if not present.isdisjoint(rule.unless):
            continue
        for drug, beside in pairs(rule, ordered):
            candidate = BoundRule(rule, drug, beside)
            is_new = not {rule.avoided[0], rule.object} & {*ordered}
            is_new &= not any(_is_same_advice(candidate, each) for each in bound)
            if is_new and not _is_treated(rule, ordered) and not gives_held(candidate, held):
                bound.append(candidate)
                break
    return bound


def present_diseases(
    met: Iterable[ClinicalRule], diagnoses: Collection[str], treated: Collection[str]
) -> frozenset[str]:
    """The diseases that a patient has, is treated for, or shows in a result.

    Args:
        met: the rules that a record meets.
        diagnoses: the diagnoses of the stay that rules know.
        treated: the diseases that the patient's home drugs are for.
    """
    shown = (rule.risk for rule in met if rule.test and not rule.drug)
    return frozenset((*diagnoses, *treated, *shown))


def _is_same_advice(one: BoundRule, other: BoundRule) -> bool:
    """True if two rules do the same with the same drugs or service for the same risk.

    To hold, stop and reduce a drug count as the same.
    """
    both = [
        (each.drug, each.beside, each.object, each.opposed or each.rule.action, each.rule.risk)
        for each in (one, other)
    ]
    return both[0] == both[1]


def _is_treated(rule: ClinicalRule, ordered: Sequence[str]) -> bool:
    """True if a drug is to be started for something that an ordered drug treats already."""
    if rule.action != "start":
        return False
    kinds = [each.name for each in drug_class(rule.object)]
    return any(is_of_any(drug, (*kinds, *_TREATED_BY.get(rule.test, ()))) for drug in ordered)


def gives_held(bound: BoundRule, held: Collection[str]) -> bool:
    """True if a drug goes on or begins under a rule though a result or a diagnosis forbids it.

    Args:
        bound: the rule.
        held: the classes and names of the drugs that are forbidden.
    """
    names = {bound.drug, bound.beside, bound.given} - {bound.opposed, ""}
    return any(is_of_any(name, held) for name in names)


def is_done(bound: BoundRule, values: Mapping[str, Sequence[float]]) -> bool:
    """True if a rule orders a test that the stay has a result of, other than to repeat it.

    Args:
        bound: the rule.
        values: the values of each test in the order of time.
    """
    rule = bound.rule
    ordered = {rule.object, *(panel_tests(rule.object) if rule.action == "order" else ())}
    is_one_test = len(ordered - {rule.object}) < 2 and rule.object != rule.recheck
    return rule.action == "order" and is_one_test and not ordered.isdisjoint(values)


def ordered_drugs(findings: Sequence[Finding]) -> list[str]:
    """The drugs whose orders are in force and that act on the whole body."""
    orders = (finding for finding in findings if finding.kind in ("order", UNASKED))
    return [
        each.entity.name
        for each in orders
        if _is_absorbed(each.entity.name, str(each.slots["route"].source.value))
    ]


def overdosed(rules: Iterable[BoundRule], findings: Sequence[Finding]) -> list[BoundRule]:
    """The rules without those whose drug is ordered in no larger dose than is right all the same.

    Args:
        rules: the rules.
        findings: the findings of the record.
    """
    is_more = _doses_above(findings)
    return [e for e in rules if not e.rule.dose or is_more(e.drug, e.rule.dose)]


def passing_doses(rules: Sequence[BoundRule], findings: Sequence[Finding]) -> list[BoundRule]:
    """The rules without those that look at two drugs but pass over too large a dose of one.

    A disease may keep away the rule that gives less of it. The dose is still to be spoken about.

    Args:
        rules: the rules that hold for a patient.
        findings: the findings of the record.
    """
    is_more = _doses_above(findings)
    held = [each.rule for each in rules]
    dosing = [each for each in clinical_rules() if each.dose and each.beside]

    def passes(bound: BoundRule) -> bool:
        return bound.rule.action == "order" and any(
            is_more(drug, rule.dose)
            for drug, beside in permutations((bound.drug, bound.beside))
            for rule in dosing
            if rule not in held and is_of(drug, rule.drug) and is_of(beside, rule.beside)
        )

    return [each for each in rules if not each.beside or not passes(each)]


def questioning(rules: Iterable[BoundRule], present: Collection[str]) -> list[BoundRule]:
    """The rules, those about aspirin beside an anticoagulant with the question if it is needed.

    It is not questioned if the patient has a disease for which it goes on all the same.

    Args:
        rules: the rules that hold for a patient.
        present: the diseases that the patient has.
    """
    dosing = [
        e for e in clinical_rules() if e.dose and e.beside and {*present}.isdisjoint(e.unless)
    ]

    def questioned(bound: BoundRule) -> str:
        return next(
            (
                drug
                for drug, beside in permutations((bound.drug, bound.beside))
                for rule in dosing
                if drug not in bound.against
                and is_of(drug, rule.drug)
                and is_of(beside, rule.beside)
                and is_of_any(beside, _ANTICOAGULANTS)
            ),
            "",
        )

    return [replace(each, questioned=questioned(each)) if each.beside else each for each in rules]


def seeking(
    rules: Iterable[BoundRule],
    findings: Sequence[Finding],
    values: Mapping[str, Sequence[float]],
) -> list[BoundRule]:
    """The rules, those about the toxicity of a drug with its level where that is in doubt.

    Nobody judges it without a look for the level at a dose or a result for which another rule asks
    for one.

    Args:
        rules: the rules that hold for a patient.
        findings: the findings of the record.
        values: the values of each test in the order of time.
    """
    is_more = _doses_above(findings)

    def is_in_doubt(drug: str) -> bool:
        asking = (e for e in clinical_rules() if e.object == f"{drug} level" and drug not in values)
        return any(
            (rule.dose and is_more(drug, rule.dose))
            or (rule.test and rule.is_met(values.get(rule.test, ())))
            for rule in asking
        )

    def sought(bound: BoundRule) -> str:
        drugs = (e for e in (bound.drug, bound.beside) if bound.rule.risk == f"{e} toxicity")
        return next((drug for drug in drugs if is_in_doubt(drug)), "")

    return [replace(each, sought=sought(each)) for each in rules]


def _doses_above(findings: Sequence[Finding]) -> Callable[[str, str], bool]:
    """A test whether a drug is ordered in a larger dose than another, such as "100 mg"."""
    doses = {
        each.entity.name: quantities(str(each.slots["dose"].source.value))
        for each in findings
        if each.kind in ("order", UNASKED)
    }

    def is_more(drug: str, dose: str) -> bool:
        [most] = quantities(dose)
        given = (each for each in doses.get(drug, ()) if each.unit == most.unit)
        return any(each.value > most.value for each in given)

    return is_more


def oral_drugs(findings: Sequence[Finding]) -> list[str]:
    """The drugs that are ordered by mouth on the day of the session."""
    orders = (finding for finding in findings if finding.kind == "order")
    routes = ((each, str(each.slots["route"].source.value)) for each in orders)
    return [each.entity.name for each, route in routes if english(route, "route") == "oral"]


def _is_absorbed(drug: str, route: str) -> bool:
    """True if a drug by a route acts on the whole body, as the rules mean it.

    Drops and creams act where they are put, and vancomycin by mouth stays in the bowel. Of what is
    inhaled, the rules mean albuterol only.
    """
    way = english(route, "route")
    if way == "inhalation":
        return is_of(drug, "albuterol")
    return way not in _LOCAL and (drug, way) not in _UNABSORBED
