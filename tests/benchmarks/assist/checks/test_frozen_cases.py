"""Cases written before the checks were read: exact counts of right, open and wrong verdicts.

The first scoring had 28 right, 5 open and 27 wrong; the checks were changed after a look at them.
Open are a flag of a reduced risk and a test deferred beside an order; wrong is a potassium of 6,
which is the bilirubin of 6.1 rounded.
"""

import json
from collections import Counter
from pathlib import Path

from wardround.benchmarks.assist.checks.decider import read_check
from wardround.benchmarks.assist.checks.evidence import Evidence
from wardround.benchmarks.assist.checks.facts.decisions import decide_fact
from wardround.benchmarks.assist.checks.facts.items import FactItem
from wardround.benchmarks.assist.checks.orders import OrderItem, Written, decide_order
from wardround.benchmarks.assist.checks.sources import without_source
from wardround.benchmarks.assist.sessions import Language

LINES = Path(__file__).with_name("frozen_cases.tsv").read_text("utf-8").splitlines()
CASES = [line.split("\t") for line in LINES if not line.startswith("#")][1:]
SEEN = Evidence(
    (
        "The patient is 63 years old and male.\nCreatinine: 2.4 mg/dL\nBilirubin: 6.1 mg/dL\n"
        "INR: 2.1\nSodium: 138 mEq/L\nPotassium: 4.2 mEq/L",
    )
)
WRITES = {
    "flag": ("Flag.create", "code"),
    "drug order": ("MedicationRequest.create", "medication"),
}


def state_of(part: str, language: Language, check: str, text: str) -> str:
    if part == "source":
        return "failed" if without_source(text, SEEN) else "passed"
    item = read_check({language: json.loads(check)}, text)[language]
    if isinstance(item, OrderItem):
        tool, field = WRITES[part]
        return decide_order(item, [Written(tool, {field: text})]).state
    assert isinstance(item, FactItem)
    return decide_fact(item, text, language).state


def test_verdicts_on_the_frozen_cases() -> None:
    counts = Counter[tuple[str, str]]()
    for part, language, check, text, verdict in CASES:
        state = state_of(part, language, check, text)  # type: ignore[arg-type]
        agrees = "right" if state == verdict else "open" if state == "undecided" else "wrong"
        counts[part, agrees] += 1
    assert counts == {
        ("source", "right"): 14,
        ("source", "wrong"): 1,
        ("flag", "right"): 16,
        ("flag", "open"): 1,
        ("order", "right"): 14,
        ("order", "open"): 1,
        ("drug", "right"): 5,
        ("drug order", "right"): 8,
    }
