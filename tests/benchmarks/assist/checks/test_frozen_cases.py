"""Cases written before the checks were read: exact counts of right, open and wrong verdicts.

The first scoring had 28 right, 5 open and 27 wrong; the checks were changed after a look at them.
Open are a flag of a reduced risk and a test deferred beside an order; wrong is a potassium of 6,
which is the bilirubin of 6.1 rounded.

Another writer's 80 cases came after that: 32 were decided rightly, 8 wrongly, 31 were open, and 9 a
clinician may decide either way. Of a third one's 100, 18 were decided rightly, 4 wrongly, 68 were
open, and 10 were a clinician's, all open. The wrong ones are kept, with cases like them.
"""

import json
from collections import Counter
from pathlib import Path

from wardround.benchmarks.assist.checks.decider import read_check
from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.facts.decisions import decide_fact
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.checks.items import Statement
from wardround.benchmarks.assist.checks.orders import OrderItem, Written, decide_order
from wardround.benchmarks.assist.checks.sources import without_source
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.sessions import Language

SEEN = Evidence(
    (
        "The patient is 63 years old and male.\nCreatinine: 2.4 mg/dL\nBilirubin: 6.1 mg/dL\n"
        "INR: 2.1\nSodium: 138 mEq/L\nPotassium: 4.2 mEq/L",
    )
)
WRITES = {
    "flag": ("Flag.create", "code"),
    "drug order": ("MedicationRequest.create", "medication"),
    "service": ("ServiceRequest.create", "service_type"),
    "dose": ("MedicationRequest.create", "dose"),
    "frequency": ("MedicationRequest.create", "frequency"),
}


def state_of(part: str, language: Language, check: str, text: str) -> str:
    if part == "source":
        return "failed" if without_source(text, SEEN) else "passed"
    item = read_check({language: json.loads(check)}, text)[language]
    if isinstance(item, OrderItem):
        tool, field = WRITES[part]
        return decide_order(item, [Written(tool, {field: text})]).state
    if isinstance(item, Statement):
        return decide_statement(item, text, language).state
    assert isinstance(item, FactItem)
    return decide_fact(item, text, language).state


def counts(file: str) -> Counter[tuple[str, str]]:
    lines = Path(__file__).with_name(file).read_text("utf-8").splitlines()
    cases = [line.split("\t") for line in lines if not line.startswith("#")][1:]
    found = Counter[tuple[str, str]]()
    for part, language, check, text, verdict in cases:
        state = state_of(part, language, check, text)  # type: ignore[arg-type]
        agrees = "right" if state == verdict else "open" if state == "undecided" else "wrong"
        found[part, agrees] += 1
    return found


def test_verdicts_on_the_frozen_cases() -> None:
    assert counts("frozen_cases.tsv") == {
        ("source", "right"): 14,
        ("source", "wrong"): 1,
        ("flag", "right"): 16,
        ("flag", "open"): 1,
        ("order", "right"): 14,
        ("order", "open"): 1,
        ("drug", "right"): 5,
        ("drug order", "right"): 8,
    }


def test_verdicts_on_the_unseen_cases_that_were_wrong() -> None:
    assert counts("unseen_cases.tsv") == {
        ("answer", "right"): 74,
        ("answer", "open"): 7,
        ("service", "right"): 13,
        ("dose", "right"): 4,
        ("frequency", "right"): 6,
        ("flag", "right"): 7,
    }
