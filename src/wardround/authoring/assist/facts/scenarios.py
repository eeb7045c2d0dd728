"""The subjects of each scenario: the rules that a session may begin with, and what it reads.

Source: PhysAssistBench 3.2 (the four clinical scenarios).
"""

from collections.abc import Collection, Mapping, Sequence
from functools import cache

from wardround.authoring.assist.facts.chosen_rules import latest_values
from wardround.authoring.assist.facts.findings import Finding
from wardround.authoring.assist.facts.rules import BoundRule
from wardround.benchmarks.assist.sessions import Scenario
from wardround.core.packaged_data import read_rows
from wardround.ehr.terms.clinical_rules import is_of
from wardround.ehr.terms.result_limits import result_limits

RESPONSE: Scenario = "treatment_response"
INFECTIONS = 0.8  # share of the responses to a treatment that are about an infection, if they can
INFECTION_TESTS = ("white blood cells", "lactate")


def suits(scenario: Scenario, bound: BoundRule, abnormal: Collection[str]) -> bool:
    """True if a session of a scenario may be about a rule.

    A workup begins with an abnormal finding, which drugs may be the cause of, drug safety and a
    discharge with a drug, and the response to a treatment with a drug and the test that shows it.

    Args:
        scenario: the scenario.
        bound: the rule.
        abnormal: the tests whose latest result is beyond its usual limits.
    """
    match scenario:
        case "diagnostic_workup":
            return bool(bound.rule.test) or bound.rule.recheck in abnormal
        case "med_safety":
            return bool(bound.drug)
        case "treatment_response":
            return is_response(bound)
        case "discharge_planning":
            return bool(bound.drug) or bound.is_score


def belongs(scenario: Scenario, bound: BoundRule) -> bool:
    """True if a session may go on to a rule; one of drug safety reasons about drugs only."""
    return scenario != "med_safety" or bool(bound.drug)


def is_about(scenario: Scenario, findings: Sequence[Finding]) -> bool:
    """True if a session reads what its scenario is about.

    A workup reads an abnormal result, and the response to a treatment its drug and its test.
    """
    match scenario:
        case "diagnostic_workup":
            flags = [each.slots["flag"].source.value for each in findings if "flag" in each.slots]
            is_flagged = any(flag != "normal" for flag in flags)
            return is_flagged or bool(abnormal_tests(latest_values(findings)))
        case "treatment_response":
            drugs = {each.entity.name for each in findings if each.entity.kind == "drug"}
            tests = {each.entity.name for each in findings if each.entity.kind == "test"}
            return any(test in tests and _has(drugs, group) for group, test in responses())
        case _:
            return True


def _has(drugs: Collection[str], group: str) -> bool:
    return any(is_of(drug, group) for drug in drugs)


def abnormal_tests(latest: Mapping[str, float]) -> frozenset[str]:
    """The tests whose latest value is beyond its usual limits.

    >>> sorted(abnormal_tests({"potassium": 5.8, "sodium": 140, "lipase": 900}))
    ['potassium']
    """
    limits = result_limits()
    limited_results = {test: value for test, value in latest.items() if test in limits}
    return frozenset(
        test for test, value in limited_results.items() if not limits[test].is_usual(value)
    )


def is_response(bound: BoundRule) -> bool:
    """True if a test of a rule, or the one that it repeats, shows the response to its drug."""
    tests = {*bound.tests, bound.rule.recheck}
    return any(test in tests and is_of(bound.drug, group) for group, test in responses())


def is_of_infection(bound: BoundRule) -> bool:
    """True if a rule is about the response of an infection to its treatment."""
    return is_response(bound) and bool({*bound.tests, bound.rule.recheck} & {*INFECTION_TESTS})


@cache
def responses() -> tuple[tuple[str, str], ...]:
    """The classes and names of drugs, each with a test that shows the response to it."""
    return tuple((group, test) for group, test in read_rows(__package__, "responses.tsv"))
