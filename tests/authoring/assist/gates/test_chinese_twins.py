"""Chinese texts say what their English ones say."""

from pathlib import Path

from tests.cases import for_each
from wardround.authoring.assist.gates.chinese_twins import chinese_faults

CASES = Path(__file__).parent / "cases" / "twins.tsv"
ROWS = [line.split("\t") for line in CASES.read_text(encoding="utf-8").splitlines()[1:]]


@for_each(ROWS)
def test_a_difference_between_the_languages_is_found(
    english: str, chinese: str, reason: str
) -> None:
    faults = list(chinese_faults({"en": english, "zh": chinese}))
    assert faults == ([reason] if reason else [])
