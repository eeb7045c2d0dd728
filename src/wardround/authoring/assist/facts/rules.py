"""Clinical rules that a record meets, bound to the drugs and results of its patient."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

from wardround.authoring.assist.facts.findings import Entity, Finding
from wardround.authoring.assist.facts.scores import (
    CODED,
    DISEASES,
    PERSONAL,
    TESTS,
    UNITS,
    computed_score,
    score_value,
)
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.chinese import english
from wardround.ehr.terms.clinical_rules import (
    AGAINST,
    WITHHOLDING,
    ClinicalRule,
    clinical_rules,
    held_groups,
    is_of,
    is_of_any,
)
from wardround.ehr.terms.panels import panel_tests
from wardround.ehr.terms.result_limits import days_to_repeat, result_limits

LATEST = ("lab_latest", "vital_latest", "vital_value")
# The classes of drugs that a score asks for one of.
_TREATED_BY = {
    "cha2ds2_vasc": (
        "vitamin k antagonist",
        "heparin",
        "direct factor xa inhibitor",
        "direct thrombin inhibitor",
        "indirect factor xa inhibitor",
    )
}
_AWAY = 2  # days after a discharge before which no test is repeated
# Routes by which drugs act where they are put, and drugs that are not absorbed by another.
_LOCAL = ("topical", "ophthalmic", "intranasal", "vaginal")
_UNABSORBED = (("vancomycin", "oral"), ("vancomycin", "rectal"))
_GIVES = ("raise", "replace", "start", "resupply")


@dataclass(frozen=True)
class BoundRule:
    """A rule that a record meets, with the drugs of the patient that it is about.

    Attributes:
        rule: the rule.
        drug: the generic name of its drug; "" without one.
        beside: the generic name of its second drug; "" without one.
        is_told: it holds only by what the patient tells about the drug.
        is_taken: the patient tells that the drug is taken, so a rule about an untaken drug asks for
            no more of it.
        sooner: the days until its test is repeated, by the latest results; None for the rule's.
        tempting: the drug that it avoids and that the record suggests; "" if there is none.
    """

    rule: ClinicalRule
    drug: str = ""
    beside: str = ""
    is_told: bool = False
    is_taken: bool = False
    sooner: int | None = None
    tempting: str = ""

    @property
    def days(self) -> int:
        """The days until its test is repeated."""
        return self.rule.days if self.sooner is None else self.sooner

    @property
    def tests(self) -> tuple[str, ...]:
        """The tests that its result is, or is computed from."""
        test = self.rule.test
        return TESTS.get(test, (test,) if test else ())

    @property
    def is_score(self) -> bool:
        """True if it is about a score."""
        return self.rule.test in TESTS

    @property
    def is_personal(self) -> bool:
        """True if it is about a score that the patient's age is an input of."""
        return self.rule.test in PERSONAL

    @property
    def is_watched(self) -> bool:
        """True if its advice repeats a result that is none of its own tests."""
        return self.rule.recheck not in self.tests

    @property
    def is_of_course(self) -> bool:
        """True if it is about how a result moves, not about its latest value."""
        return self.rule.sign in ("rising", "falling")

    @property
    def panel(self) -> str:
        """The panel that it orders, if that has the test which its advice repeats; or else ""."""
        is_panel = self.rule.action == "order" and self.rule.recheck in panel_tests(self.object)
        return self.object if is_panel else ""

    @property
    def is_coded(self) -> bool:
        """True if it is about a score that the diagnoses of the stay are inputs of."""
        return self.rule.test in CODED

    @cached_property
    def entities(self) -> tuple[Entity, ...]:
        """Its drugs and tests, without a second drug that only the patient knows.

        A score of diagnoses alone is about the stay.
        """
        names = (self.drug, "" if self.is_told else self.beside)
        drugs = (Entity("drug", name) for name in names if name)
        tests = (Entity("test", test) for test in self.tests)
        return (*drugs, *tests) if self.tests or not self.is_score else (*drugs, Entity("stay"))

    @property
    def object(self) -> str:
        """The drug or service that its action is about."""
        named = {"": self.drug, "beside": self.beside}
        return named.get(self.rule.object, self.rule.object)

    @property
    def measure(self) -> str:
        """The test that the harm of its risk shows in; "" if it is another than its advice repeats.

        Bleeding on warfarin shows in two tests, so a question could mean either.
        """
        shown = (self.rule.risk, self.rule.recheck) in _measures()
        is_clear = self.rule.recheck != "hemoglobin" or not is_of(self.drug, "warfarin")
        return self.rule.recheck if shown and is_clear else ""

    @property
    def raised(self) -> str:
        """The drug whose dose a high result tempts one to raise, since the patient lacks it."""
        return self.drug if self.rule.action == "resupply" else ""

    @property
    def avoided(self) -> str:
        """The drug that its advice must not begin."""
        return self.tempting or self.rule.avoided[0]

    @property
    def given(self) -> str:
        """The drug that it gives or goes on with; "" if it does neither."""
        return self.object if self.rule.action in _GIVES else ""

    @property
    def changed(self) -> str:
        """The drug that it takes away, goes on with, or gives more or less of; "" for none."""
        return self.object if self.rule.action in (*AGAINST, "raise", "continue") else ""

    @property
    def opposed(self) -> str:
        """The drug that it takes away or gives less of; "" if it does not."""
        return self.object if self.rule.action in AGAINST else ""


@cache
def _measures() -> Mapping[tuple[str, str], str]:
    """The risks, each with the test that its harm shows in, and the side on which it shows."""
    rows = read_rows(__package__, "risk_measures.tsv")
    return {(risk, test): side for risk, test, side in rows}


def is_opposite(bound: BoundRule, values: Mapping[str, Sequence[float]]) -> bool:
    """True if a result speaks against the harm of two drugs.

    The result is beyond its usual limits on the side where the harm does not show: nobody warns of
    too much potassium while there is too little. Where the rule has a limit, a result below it or
    a missing one speaks against the harm too.

    Args:
        bound: the rule.
        values: the values of each test in the order of time.
    """
    test = bound.rule.recheck
    side, limits = _measures().get((bound.rule.risk, test)), result_limits().get(test)
    if bound.rule.test or not values.get(test):
        return not bound.rule.test and bound.rule.limit > 0
    latest = values[test][-1]
    if latest < bound.rule.limit or not side or not limits:
        return latest < bound.rule.limit
    return latest < limits.usual_low if side == "high" else latest > limits.usual_high


def met_rules(
    values: Mapping[str, Sequence[float]], old: Collection[str] = ()
) -> list[ClinicalRule]:
    """The rules whose test or score shows their sign, and the rules about two drugs.

    Args:
        values: the values of each test and score in the order of time.
        old: the tests whose latest result is too old to change a dose by.
    """
    return [
        rule
        for rule in clinical_rules()
        if not rule.test
        or (_is_met(rule, values.get(rule.test, [])) and not _needs_newer(rule, old))
    ]


def _needs_newer(rule: ClinicalRule, old: Collection[str]) -> bool:
    """True if a rule changes a dose by a result that is too old for it."""
    return rule.action != "order" and any(
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
    """True if results show a rule's sign; a rise has to leave the usual range.

    A drug has worked, and goes on, if the first result was beyond it.
    """
    limits = result_limits().get(rule.test)
    if limits and values and rule.sign == "rising" and limits.is_usual(values[-1]):
        return False
    if limits and values and rule.action == "continue" and limits.is_usual(values[0]):
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
    found = {}
    for name, tests in TESTS.items():
        if not _applies(name, codes, findings) or any(test not in latest for test in tests):
            continue
        values = [latest[test] for test in tests]
        values += codes if name in CODED else []
        values += [age, sex] if name in PERSONAL else []
        score = computed_score(name, values)
        # The parts of a score that has coded ones have to be known all of them.
        if name not in CODED or not any(part.missing for part in score.parts):
            found[name] = [score_value(name, values)]
    return found


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
    ordered: Sequence[str], met: Sequence[ClinicalRule], diagnoses: Collection[str] = ()
) -> list[BoundRule]:
    """The rules that a record meets, each with one pair of the drugs that are ordered now.

    Rules about drugs that the patient does not take need the patient's word and are left out. So
    are rules that warn of what the patient has, and those under which a drug goes on that a result
    or a diagnosis forbids. A drug that one rule withholds is not reduced by another.

    Args:
        ordered: the drugs that are ordered, by their generic names.
        met: the rules whose test the record meets, and those about two drugs.
        diagnoses: the diagnoses of the stay that rules know.
    """
    held = held_groups(met, diagnoses)
    bound: list[BoundRule] = []
    for rule in met:
        if rule.action == "resupply" or rule.sign == "bought" or rule.risk in diagnoses:
            continue
        for drug, beside in pairs(rule, ordered):
            found = BoundRule(rule, drug, beside)
            is_new = not {rule.avoided[0], rule.object} & {*ordered}
            is_new &= not any(_is_same_advice(found, each) for each in bound)
            if is_new and not _is_treated(rule, ordered) and not gives_held(found, held):
                bound.append(found)
                break
    withheld = {each.object for each in bound if each.rule.action in WITHHOLDING}
    return [e for e in bound if e.rule.action != "reduce" or e.object not in withheld]


def tempted(
    rules: Iterable[BoundRule], tempting: Collection[str], used: Mapping[str, int] | None = None
) -> list[BoundRule]:
    """The rules, each avoiding a drug that the record suggests if it avoids such a drug.

    Of several it is the one that the fewest sessions and rules before it avoid, and none that
    another rule gives if there is a choice.

    Args:
        rules: the rules.
        tempting: the drugs that the record suggests.
        used: how often earlier sessions avoid each drug.
    """
    counts, found = Counter(used or {}), list(rules)
    given = {bound.given for bound in found}
    changed = []
    for bound in found:
        own = (bound.drug, bound.beside, bound.object)
        avoided = [each for each in bound.rule.avoided if each in tempting and each not in own]
        drug = min(avoided, key=lambda each: (each in given, counts[each]), default="")
        counts[drug] += 1
        changed.append(replace(bound, tempting=drug))
    return changed


def _is_same_advice(one: BoundRule, other: BoundRule) -> bool:
    """True if two rules do the same with the same drugs or service for the same risk.

    To hold, stop and reduce a drug count as the same.
    """
    both = [
        (each.drug, each.beside, each.object, each.opposed or each.rule.action, each.rule.risk)
        for each in (one, other)
    ]
    return both[0] == both[1]


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


def enough(rules: Sequence[BoundRule], values: Mapping[str, Sequence[float]]) -> list[BoundRule]:
    """The rules whose advice is enough for what the results show.

    A rule that only asks for a test is not enough if the result is marked, or if another rule
    supersedes it and the two cannot be in one session.

    Args:
        rules: the rules that hold for a patient.
        values: the values of each test in the order of time.
    """

    def is_enough(bound: BoundRule) -> bool:
        limits, known = result_limits().get(bound.rule.recheck), values.get(bound.rule.recheck)
        if limits and known and limits.is_marked(known[-1]):
            return False
        above = superseding(bound, rules)
        return not above or len(sharing(bound, above)) > 1

    return [each for each in rules if not _only_looks(each) or is_enough(each)]


def superseding(bound: BoundRule, rules: Sequence[BoundRule]) -> list[BoundRule]:
    """The rules that act where a rule asks for a test only: on its result, or on the same risk.

    Where another rule gives less of a drug for the same risk, its level is not enough.
    """
    if bound.object == f"{bound.drug} level":
        same = [each for each in rules if each.rule.risk == bound.rule.risk]
        return [each for each in same if each.opposed == bound.drug]
    if not _only_looks(bound):
        return []
    test, drugs = bound.rule.recheck, (bound.drug, bound.beside)
    return [
        each
        for each in rules
        if not _only_looks(each)
        and (
            (each.rule.test == test and each.rule.action != "order")
            or (
                each.rule.risk == bound.rule.risk
                and ((each.drug, each.beside) == drugs or (each.rule.test and each.drug in drugs))
            )
        )
    ]


def _only_looks(bound: BoundRule) -> bool:
    """True if a rule asks for a test only: a precaution about two drugs, or a repeated test."""
    rule = bound.rule
    return rule.action == "order" and (
        not rule.test or rule.recheck in (rule.object, *panel_tests(rule.object))
    )


def gives_held(bound: BoundRule, held: Collection[str]) -> bool:
    """True if a drug goes on or begins under a rule though a result or a diagnosis forbids it.

    Args:
        bound: the rule.
        held: the classes and names of the drugs that are forbidden.
    """
    names = {bound.drug, bound.beside, bound.given} - {bound.opposed, ""}
    return any(is_of_any(name, held) for name in names)


def timed(bound: BoundRule, values: Mapping[str, Sequence[float]]) -> BoundRule:
    """A rule whose test is repeated as soon as its latest results ask for.

    Args:
        bound: the rule.
        values: the values of each test in the order of time.
    """
    rule = bound.rule
    return replace(
        bound, sooner=days_to_repeat(rule.recheck, values.get(rule.recheck, ()), rule.days)
    )


def at_discharge(rules: Sequence[BoundRule], home: Collection[str]) -> list[BoundRule]:
    """The rules of a patient who leaves, who comes back for tests after the first days at home.

    Nobody leaves whose result needs a test today, so there are none then. Of the others, those
    that always ask for a test today are left out, and those about drugs of the ward.

    Args:
        rules: the timed rules.
        home: the drugs that the patient takes at home or can take there.
    """
    if any(bound.rule.days and not bound.days for bound in rules):
        return []
    going = [
        bound
        for bound in rules
        if bound.days and (bound.is_told or {bound.drug, bound.beside} <= {*home, ""})
    ]
    return [replace(bound, sooner=max(bound.days, _AWAY)) for bound in going]


def _is_treated(rule: ClinicalRule, ordered: Sequence[str]) -> bool:
    """True if a drug is to be started for something that an ordered drug treats already."""
    if rule.action != "start" or rule.test not in _TREATED_BY:
        return False
    return any(is_of(drug, name) for drug in ordered for name in _TREATED_BY[rule.test])


def latest_values(findings: Sequence[Finding]) -> dict[str, float]:
    """The latest value of each test of some findings."""
    return {
        finding.entity.name: float(finding.slots["value"].source.value)
        for finding in findings
        if finding.kind in LATEST
    }


def abnormal_first(rules: Sequence[BoundRule], findings: Sequence[Finding]) -> list[BoundRule]:
    """The rules about results beyond a limit, the farthest beyond it first."""
    latest = latest_values(findings)
    found = [bound for bound in rules if bound.rule.test in latest and bound.rule.limit > 0]
    distances = {bound: _distance(bound, latest[bound.rule.test]) for bound in found}
    beyond = [bound for bound in found if distances[bound] > 0]
    return sorted(beyond, key=lambda bound: -distances[bound])


def _distance(bound: BoundRule, value: float) -> float:
    """The share of its limit by which a result is beyond it; 0 for a course."""
    rule = bound.rule
    if rule.sign == "above":
        return value / rule.limit - 1
    return 1 - value / rule.limit if rule.sign == "below" else 0


def ordered_drugs(findings: Sequence[Finding]) -> list[str]:
    """The drugs that are ordered on the day of the session and act on the whole body."""
    orders = (finding for finding in findings if finding.kind == "order")
    return [
        each.entity.name
        for each in orders
        if _is_absorbed(each.entity.name, str(each.slots["route"].source.value))
    ]


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


def sharing(bound: BoundRule, rules: Sequence[BoundRule]) -> list[BoundRule]:
    """A rule and the others that share a drug or test with it, and do the same with each drug."""
    about, done = set(bound.entities), {bound.object: bound.rule.action}
    found = [bound]
    for each in rules:
        is_near = each != bound and bool(about & set(each.entities))
        if is_near and done.setdefault(each.object, each.rule.action) == each.rule.action:
            found.append(each)
    return found


def pairs(rule: ClinicalRule, ordered: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The ordered drugs that a rule is about; ("", "") for a rule without drugs."""
    drugs = [drug for drug in ordered if is_of(drug, rule.drug)] if rule.drug else [""]
    others = [drug for drug in ordered if is_of(drug, rule.beside)] if rule.beside else [""]
    yield from ((drug, other) for drug in drugs for other in others if drug != other or not drug)
