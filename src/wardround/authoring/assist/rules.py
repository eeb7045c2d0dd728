"""Clinical rules that a record meets, bound to the drugs and results of its patient."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wardround.authoring.assist.findings import Entity, Finding
from wardround.authoring.assist.scores import LIVER, TESTS, UNITS, score_value
from wardround.ehr.terms.clinical_rules import ClinicalRule, clinical_rules, is_of

LATEST = ("lab_latest", "vital_latest")
# Actions that take a drug away or give less of it.
_AGAINST = ("hold", "stop", "reduce")


@dataclass(frozen=True, slots=True)
class BoundRule:
    """A rule that a record meets, with the drugs of the patient that it is about.

    Attributes:
        rule: the rule.
        drug: the generic name of its drug; "" without one.
        beside: the generic name of its second drug; "" without one.
        is_told: it holds only by what the patient tells about the drug.
    """

    rule: ClinicalRule
    drug: str = ""
    beside: str = ""
    is_told: bool = False

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
    def entities(self) -> tuple[Entity, ...]:
        """Its drugs and tests, without a second drug that only the patient knows."""
        names = (self.drug, "" if self.is_told else self.beside)
        drugs = (Entity("drug", name) for name in names if name)
        return (*drugs, *(Entity("test", test) for test in self.tests))

    @property
    def object(self) -> str:
        """The drug or service that its action is about."""
        named = {"": self.drug, "beside": self.beside}
        return named.get(self.rule.object, self.rule.object)

    @property
    def opposed(self) -> str:
        """The drug that it takes away or gives less of; "" if it does not."""
        return self.object if self.rule.action in _AGAINST else ""


def met_rules(values: Mapping[str, Sequence[float]]) -> list[ClinicalRule]:
    """The rules whose test or score shows their sign, and the rules about two drugs.

    Args:
        values: the values of each test and score in the order of time.
    """
    return [
        rule for rule in clinical_rules() if not rule.test or rule.is_met(values.get(rule.test, []))
    ]


def score_values(
    findings: Sequence[Finding], age: int, sex: str, codes: Iterable[str]
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
    has_liver_disease = any(code.startswith(LIVER) for code in codes)
    found = {}
    for name, tests in TESTS.items():
        if all(test in latest for test in tests) and (name != "meld" or has_liver_disease):
            values = [latest[test] for test in tests]
            further: list[float | str] = [age, sex] if name == "cockcroft_gault" else []
            found[name] = [score_value(name, [*values, *further])]
    return found


def _has_unit(finding: Finding) -> bool:
    """True if a result is in the unit that formulas take it in."""
    unit = finding.slots["unit"].source.value
    return UNITS.get(finding.entity.name, unit) == unit


def bound_rules(ordered: Sequence[str], met: Sequence[ClinicalRule]) -> list[BoundRule]:
    """The rules that a record meets, each with one pair of the drugs that are ordered now.

    Rules about drugs that the patient does not take need the patient's word and are left out.

    Args:
        ordered: the drugs that are ordered, by their generic names.
        met: the rules whose test the record meets, and those about two drugs.
    """
    bound = []
    for rule in met:
        if rule.action == "resupply":
            continue
        for drug, beside in pairs(rule, ordered):
            if not {rule.avoided, rule.object} & {*ordered}:
                bound.append(BoundRule(rule, drug, beside))
                break
    return bound


def ordered_drugs(findings: Sequence[Finding]) -> list[str]:
    """The drugs that are ordered on the day of the session."""
    orders = (finding for finding in findings if finding.kind == "order")
    return [finding.entity.name for finding in orders]


def sharing(bound: BoundRule, rules: Sequence[BoundRule]) -> list[BoundRule]:
    """A rule and the others that share a drug or test with it, and say the same of each drug."""
    about, taken = set(bound.entities), {bound.drug: bound.rule.action}
    found = [bound]
    for each in rules:
        action = taken.setdefault(each.drug, each.rule.action) if each.drug else ""
        if each != bound and about & set(each.entities) and action in ("", each.rule.action):
            found.append(each)
    return found


def pairs(rule: ClinicalRule, ordered: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The ordered drugs that a rule is about; ("", "") for a rule without drugs."""
    drugs = [drug for drug in ordered if is_of(drug, rule.drug)] if rule.drug else [""]
    others = [drug for drug in ordered if is_of(drug, rule.beside)] if rule.beside else [""]
    yield from ((drug, other) for drug in drugs for other in others if drug != other or not drug)
