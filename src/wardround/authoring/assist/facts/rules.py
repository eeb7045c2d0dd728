"""Clinical rules bound to the drugs of a patient: what they are about, and what they share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from math import inf
from typing import Literal, TypeAlias

from wardround.authoring.assist.facts.findings import Entity, PlannedCall, result_search
from wardround.authoring.assist.facts.scores import CODED, PERSONAL, TESTS
from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.clinical_rules import (
    AGAINST,
    WITHHOLDING,
    ClinicalRule,
    Sign,
    clinical_rules,
    is_of,
)
from wardround.ehr.terms.panels import panel_tests
from wardround.ehr.terms.result_limits import result_limits

LATEST = ("lab_latest", "vital_latest", "vital_value")
# The fields of a rule that say what to do.
Field: TypeAlias = Literal["action", "also"]
_GIVES = ("raise", "replace", "start", "resupply")
# Drugs that nobody takes away, reduces or questions without a look at what they are for, and the
# search of all stays that shows it: diagnoses of a stay are known at its end.
_FOR_DISEASES = "antiplatelet agent"
_DIAGNOSES = PlannedCall("Condition.search", {"hadm_id": None})


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
        has_begun: results show that the harm which it is about has begun.
        by_home_use: its drug has been taken for long enough only if the patient takes it at home.
        questioned: that of its two drugs which no disease of the patient asks for; "" for none.
        sought: the drug whose level is looked for although it orders none; "" for none.
    """

    rule: ClinicalRule
    drug: str = ""
    beside: str = ""
    is_told: bool = False
    is_taken: bool = False
    sooner: int | None = None
    tempting: str = ""
    has_begun: bool = False
    by_home_use: bool = False
    questioned: str = ""
    sought: str = ""

    @property
    def days(self) -> int:
        """The days until its test is repeated."""
        return self.rule.days if self.sooner is None else self.sooner

    @cached_property
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

    @cached_property
    def monitored(self) -> tuple[str, ...]:
        """The tests beside its own that are looked at before anybody advises about its drugs."""
        drugs = [drug for drug in (self.drug, self.beside) if drug]
        named = [
            test
            for group, action, tests in _monitored()
            if action in ("", self.rule.action) and any(is_of(drug, group) for drug in drugs)
            for test in tests
        ]
        return tuple(test for test in dict.fromkeys(named) if test not in self.tests)

    @property
    def level(self) -> str:
        """The test of the drug level that it orders or that is looked for; "" if there is none."""
        return self.drug if self.object == f"{self.drug} level" else self.sought

    @cached_property
    def unsafe(self) -> tuple[str, ...]:
        """The drugs that it takes away, gives less of or questions, if diseases ask for them."""
        drugs = (*self.against, self.questioned)
        return tuple(drug for drug in drugs if drug and is_of(drug, _FOR_DISEASES))

    @cached_property
    def searches(self) -> tuple[PlannedCall, ...]:
        """The searches that its advice rests on beside findings.

        A level is looked for before it is ordered.
        """
        level = (result_search("laboratory", self.level),) if self.level else ()
        return (*level, *((_DIAGNOSES,) if self.unsafe else ()))

    @property
    def is_of_course(self) -> bool:
        """True if it is about how a result moves, not about its latest value."""
        return self.rule.sign in ("rising", "falling")

    @property
    def rests_on_account(self) -> bool:
        """True if nothing but the patient's account of its drug shows that it holds."""
        return self.is_told or self.by_home_use

    @property
    def panel(self) -> str:
        """The panel that it orders, if that has the test which its advice repeats; or else ""."""
        is_panel = self.rule.action == "order" and self.rule.recheck in panel_tests(self.object)
        return self.object if is_panel else ""

    @cached_property
    def repeated(self) -> frozenset[str]:
        """The tests that its advice repeats, alone or in a panel."""
        return panel_tests(self.panel) | ({self.rule.recheck} - {""})

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

    @cached_property
    def causes(self) -> tuple[Entity, ...]:
        """Its drugs and tests, without the one that the harm of its risk shows in."""
        return tuple(e for e in self.entities if (e.kind, e.name) != ("test", self.measure))

    @cached_property
    def near(self) -> frozenset[Entity]:
        """Its drugs and tests, the test that its advice repeats, and those that monitor a drug."""
        watched = (Entity("test", test) for test in (self.rule.recheck, *self.monitored))
        return frozenset((*self.entities, *watched, Entity("drug", self.drug)))

    @cached_property
    def object(self) -> str:
        """The drug or service that its action is about."""
        named = {"": self.drug, "beside": self.beside}
        return named.get(self.rule.object, self.rule.object)

    @cached_property
    def measure(self) -> str:
        """The test that the harm of its risk shows in; "" if it is another than its advice repeats.

        Bleeding on warfarin shows in two tests, so a question could mean either.
        """
        shown = (self.rule.risk, self.rule.recheck) in _harm_ranges()
        is_clear = self.rule.recheck != "hemoglobin" or not is_of(self.drug, "warfarin")
        return self.rule.recheck if shown and is_clear else ""

    @property
    def observed(self) -> str:
        """The test that it is about; of two drugs, the one that its advice repeats."""
        return self.rule.test or self.rule.recheck

    @cached_property
    def feared(self) -> Sign | None:
        """The side of a result on which the harm of two drugs shows; None for a rule about one."""
        if self.rule.test:
            return None
        low, high = _harm_ranges().get((self.rule.risk, self.rule.recheck), (-inf, inf))
        return "above" if low > -inf else "below" if high < inf else None

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
        """The drug that it gives; "" for none."""
        return self.object if self.rule.action in _GIVES else ""

    @property
    def changed(self) -> str:
        """The drug that it takes away, or gives more or less of; "" for none."""
        return self.object if self.rule.action == "raise" else self.opposed

    @property
    def against(self) -> Mapping[str, Field]:
        """The drugs that it takes away or gives less of, each with the field that says so."""
        rule = self.rule
        fields: dict[str, Field] = {self.object: "action"} if rule.action in AGAINST else {}
        return fields | ({self.drug: "also"} if rule.also in AGAINST else {})

    @property
    def opposed(self) -> str:
        """The first drug that it takes away or gives less of; "" if it does not."""
        return next(iter(self.against), "")


@cache
def _monitored() -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Each class or name of drugs, the action that needs them or "", and the tests."""
    rows = read_rows(__package__, "monitoring.tsv")
    return tuple((group, action, split_cell(tests)) for group, action, tests, _ in rows)


@cache
def _harm_ranges() -> Mapping[tuple[str, str], tuple[float, float]]:
    """The risks, each with the test that shows its harm: the lowest and highest result with it."""
    rows = read_rows(__package__, "risk_measures.tsv")
    return {(risk, test): _harm_range(test, against, side) for risk, test, against, side in rows}


def _harm_range(test: str, against: str, side: str) -> tuple[float, float]:
    """The lowest and highest result with which a harm on one side is to be feared."""
    limits = result_limits().get(test)
    if side == "high":
        return float(against or (limits.usual_low if limits else -inf)), inf
    return -inf, float(against or (limits.usual_high if limits else inf))


@cache
def harm_tests(risk: str) -> frozenset[str]:
    """The tests in which the harm of a risk shows.

    >>> sorted(harm_tests("bleeding"))
    ['hemoglobin']
    """
    return frozenset(test for name, test in _harm_ranges() if name == risk)


def is_opposite(bound: BoundRule, values: Mapping[str, Sequence[float]]) -> bool:
    """True if a result speaks against the harm of two drugs.

    The result is well on the side where the harm does not show: nobody warns of too little
    potassium while there is plenty. Where the rule has a limit, a result below it or a missing one
    speaks against the harm too.

    Args:
        bound: the rule.
        values: the values of each test in the order of time.
    """
    test = bound.rule.recheck
    if bound.rule.test or not values.get(test):
        return not bound.rule.test and bound.rule.limit > 0
    low, high = _harm_ranges().get((bound.rule.risk, test), (-inf, inf))
    return not max(low, bound.rule.limit) <= values[test][-1] <= high


def withholding(
    test: str, value: float, drugs: Iterable[str]
) -> Iterator[tuple[ClinicalRule, str]]:
    """The rules that withhold some drugs by one result, each with its drug."""
    rules = [e for e in clinical_rules() if e.test == test and e.drug and not e.object]
    met = [e for e in rules if e.action in WITHHOLDING and e.is_met([value])]
    for drug in drugs:
        if rule := next((each for each in met if is_of(drug, each.drug)), None):
            yield rule, drug


@cache
def renewal_tests(drug: str) -> frozenset[str]:
    """The tests without which nobody renews a drug: those by which a score is against it.

    Drugs that the kidneys clear have such a score.

    >>> sorted(renewal_tests("metformin")), sorted(renewal_tests("furosemide"))
    (['creatinine'], [])
    """
    return frozenset(
        rule.recheck
        for rule in clinical_rules()
        if rule.test in TESTS and rule.drug and rule.action in AGAINST and is_of(drug, rule.drug)
    )


def sharing(bound: BoundRule, rules: Sequence[BoundRule]) -> list[BoundRule]:
    """A rule and the others that share a drug or test with it, and do the same with each drug."""
    about, done = set(bound.entities), {bound.object: bound.rule.action}
    shared = [bound]
    for each in rules:
        is_near = each != bound and bool(about & set(each.entities))
        if is_near and done.setdefault(each.object, each.rule.action) == each.rule.action:
            shared.append(each)
    return shared


def pairs(rule: ClinicalRule, ordered: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The ordered drugs that a rule is about; ("", "") for a rule without drugs."""
    drugs = [drug for drug in ordered if is_of(drug, rule.drug)] if rule.drug else [""]
    if not drugs:
        return
    others = [drug for drug in ordered if is_of(drug, rule.beside)] if rule.beside else [""]
    yield from ((drug, other) for drug in drugs for other in others if drug != other or not drug)
