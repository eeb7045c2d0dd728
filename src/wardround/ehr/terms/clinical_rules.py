"""Clinical rules: the risk in a result, alone or under a drug, and what follows from it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal, TypeAlias, cast

from wardround.core.packaged_data import read_rows, split_cell
from wardround.ehr.terms.drugs import drug_class, generics

Sign: TypeAlias = Literal["above", "below", "rising", "falling", "together", "bought"]
Action: TypeAlias = Literal[
    "hold", "stop", "reduce", "raise", "replace", "start", "order", "separate", "resupply",
]  # fmt: skip
# Advice beside the action: something with the first drug, or an electrocardiogram.
Beside: TypeAlias = Literal["hold", "stop", "reduce", "monitor", ""]
# Actions that take a drug away or give less of it, and those that take it away.
AGAINST: tuple[Action, ...] = ("hold", "stop", "reduce")
WITHHOLDING: tuple[Action, ...] = ("hold", "stop")


@dataclass(frozen=True, slots=True)
class ClinicalRule:
    """The meaning of a result, and the action that it asks for.

    Attributes:
        name: the rule's name.
        drug: a drug class or a generic name; "" if the rule is about the result alone.
        beside: the class or name of a second drug; "" if there is none.
        test: the test or vital sign, by its label in MIMIC-IV, or a score of `ehr.scores`; "" if
            the rule is about two drugs or an age.
        sign: above or below the limit, rising or falling by at least the share in the limit, or
            "together" for two drugs or an age, or "bought" for two of which the second has no
            prescription.
        limit: a value in the unit, or a share of the first value; of two drugs, the least result of
            the repeated test under which the rule makes sense, or 0.
        unit: the unit of the limit; "" for a share or a plain number.
        risk: the diagnosis at risk, by its English name.
        action: the thing to do; "resupply" is for a drug that the patient does not take at home.
        object: the drug or service of the action; "" for the first drug of the rule, "beside" for
            the second.
        also: a second action on the first drug, or "monitor" for an electrocardiogram; "" for
            nothing.
        avoided: the drugs that must not be started or raised now.
        recheck: the test to repeat.
        days: the number of days until then; 0 for the same day.
        given: the hours for which its drug has to have been taken, in the stay or at home.
        dose: the largest single dose of its drug that is right all the same, such as "0.125 mg"; ""
            for none.
        age: the years from which it holds; 0 for any age.
        unless: the diseases under which the rule does not hold.
        source: the text that says so.
    """

    name: str
    drug: str
    beside: str
    test: str
    sign: Sign
    limit: float
    unit: str
    risk: str
    action: Action
    object: str
    also: Beside
    avoided: tuple[str, ...]
    recheck: str
    days: int
    given: int
    dose: str
    age: int
    unless: tuple[str, ...]
    source: str

    def is_met(self, values: Sequence[float]) -> bool:
        """True if results in the rule's unit, in the order of time, show the sign.

        >>> clinical_rule("ace_inhibitor_potassium").is_met([4.1, 5.8])
        True
        >>> clinical_rule("heparin_platelets").is_met([210, 104])
        True
        >>> clinical_rule("lactate").is_met([])
        False
        """
        if not values:
            return False
        first, last = values[0], values[-1]
        match self.sign:
            case "above":
                return last > self.limit
            case "below":
                return last < self.limit
            case "rising":
                return len(values) > 1 and first > 0 and last >= first * (1 + self.limit)
            case "falling":
                return len(values) > 1 and last <= first * (1 - self.limit)
            case "together" | "bought":
                return False


@cache
def is_of(drug: str, group: str) -> bool:
    """True if a drug has a generic name, or is of a class.

    >>> is_of("Lisinopril 10 mg tablet", "ace inhibitor"), is_of("Coumadin", "warfarin")
    (True, True)
    """
    return group in groups_of(drug)


@cache
def groups_of(drug: str) -> frozenset[str]:
    """The names by which rules mean a drug: its generic name and its classes."""
    return frozenset((" + ".join(generics(drug)), *(each.name for each in drug_class(drug))))


def is_of_any(drug: str, groups: Iterable[str]) -> bool:
    """True if a drug has one of the generic names or belongs to one of the classes."""
    return not groups_of(drug).isdisjoint(groups)


def known_risks(drugs: Collection[str], tests: Collection[str]) -> frozenset[str]:
    """The risks that rules see in some drugs and in some results alone.

    >>> "bleeding" in known_risks(["warfarin"], []), "sepsis" in known_risks(["warfarin"], [])
    (True, False)
    """
    return frozenset(
        rule.risk
        for rule in clinical_rules()
        if (rule.drug or rule.test in tests)
        and all(
            any(is_of(drug, group) for drug in drugs)
            for group in filter(None, (rule.drug, rule.beside))
        )
    )


def held_groups(met: Iterable[ClinicalRule], diagnoses: Collection[str]) -> frozenset[str]:
    """The classes and names of the drugs that must not go on: a result or a diagnosis forbids them.

    Args:
        met: the rules that a record meets.
        diagnoses: the diagnoses of the stay that the packaged tables know.

    >>> sorted(held_groups([clinical_rule("warfarin_inr")], ["lactic acidosis"]))
    ['metformin', 'warfarin']
    """
    by_result = {
        rule.drug
        for rule in met
        if rule.drug and rule.test and not rule.object and rule.action in WITHHOLDING
    }
    forbidden = {group for group, name in _contraindications() if name in diagnoses}
    return frozenset(by_result | forbidden)


@cache
def _contraindications() -> tuple[tuple[str, str], ...]:
    """Each class or name of drugs with a diagnosis that forbids them."""
    rows = read_rows(__package__, "contraindications.tsv")
    return tuple((group, diagnosis) for group, diagnosis, _ in rows)


def tempting_drugs(ordered: Iterable[str], codes: Collection[str]) -> frozenset[str]:
    """The drugs that a record's orders and diagnoses suggest, without those that are ordered.

    Args:
        ordered: the ordered drugs.
        codes: the ICD-9-CM and ICD-10-CM codes of the stay, without dots.

    >>> sorted(tempting_drugs(["oxycodone"], ["J449"]) & {"ibuprofen", "prednisone", "glipizide"})
    ['ibuprofen', 'prednisone']
    """
    drugs = {*ordered}
    return frozenset(
        drug
        for drug, groups, beginnings in _temptations()
        if drug not in drugs
        and (
            any(is_of_any(each, groups) for each in drugs)
            or any(code.startswith(beginnings) for code in codes)
        )
    )


@cache
def _temptations() -> tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]:
    """Each drug with the groups beside which it is given, and the beginnings of codes."""
    return tuple(
        (drug, tuple(split_cell(groups)), (*split_cell(ninth), *split_cell(tenth)))
        for drug, groups, ninth, tenth in read_rows(__package__, "temptations.tsv")
    )


@cache
def clinical_rules() -> tuple[ClinicalRule, ...]:
    """Every packaged rule."""
    return tuple(map(_rule, read_rows(__package__, "clinical_rules.tsv")))


def clinical_rule(name: str) -> ClinicalRule:
    """The rule of a name.

    Raises:
        KeyError: there is none.
    """
    return _by_name()[name]


@cache
def _by_name() -> dict[str, ClinicalRule]:
    return {rule.name: rule for rule in clinical_rules()}


def _rule(row: list[str]) -> ClinicalRule:
    (
        name,
        drug,
        beside,
        test,
        sign,
        limit,
        unit,
        risk,
        action,
        of,
        also,
        avoided,
        recheck,
        days,
        given,
        dose,
        age,
        unless,
        source,
    ) = row
    return ClinicalRule(
        name,
        drug,
        beside,
        test,
        cast("Sign", sign),
        float(limit),
        unit,
        risk,
        cast("Action", action),
        of,
        cast("Beside", also),
        split_cell(avoided),
        recheck,
        int(days),
        int(given),
        dose,
        int(age),
        split_cell(unless),
        source,
    )
