"""Rubric items decided without a model, and mutants of gold answers that must fail them."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.benchmarks.assist.checks.decider import compile_item, decide_items
from wardround.benchmarks.assist.checks.items import Statement, compile_statement
from wardround.benchmarks.assist.checks.statements import decide_statement
from wardround.benchmarks.assist.sessions import LANGUAGES, GoldTurn, Language
from wardround.benchmarks.assist.tasks import shipped_tasks
from wardround.ehr.text.language import language_of
from wardround.ehr.text.quantities import quantities

TURNS = [turn for task in shipped_tasks("hand_written").tasks for turn in task.hidden.turns]
SPOKEN = [turn for turn in TURNS if not turn.writes]
CASES = [
    line.split("\t")
    for line in (Path(__file__).parent / "statements.tsv").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
]


@for_each(CASES)
def test_statements(state: str, language: Language, item: str, answer: str) -> None:
    found = decide_statement(compile_statement(item, language), answer, language)
    assert found.state == state, found


def states(turn: GoldTurn, language: Language, answer: str) -> list[str]:
    return [finding.state for finding in decide_items(turn, language, answer, [])]


def statement(item: str, language: Language) -> Statement:
    check = compile_item(item, language, writes=False)
    assert isinstance(check, Statement)
    return check


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_gold_answer_fails_and_most_items_are_decided(language: Language) -> None:
    decided = 0
    for turn in SPOKEN:
        found = states(turn, language, turn.answers[language])
        assert "failed" not in found
        decided += found.count("passed")
    items = sum(len(turn.rubric[language]) for turn in SPOKEN)
    assert (decided, items) == (349, 350)


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_number_fails_its_item_and_no_other(language: Language) -> None:
    tried = failed = 0
    for turn in SPOKEN:
        checks = [statement(item, language) for item in turn.rubric[language]]
        for number, check in enumerate(checks):
            for wanted in check.quantities:
                mutant = with_other_value(turn.answers[language], wanted.value)
                found = states(turn, language, mutant)
                assert found[number] != "passed", (turn.rubric[language][number], mutant)
                failed += found[number] == "failed"
                others = (
                    state
                    for place, state in enumerate(found)
                    if not any(q.value == wanted.value for q in checks[place].quantities)
                )
                assert "failed" not in others, mutant
                tried += 1
    assert (failed, tried) == {"en": (124, 124), "zh": (125, 125)}[language]


def with_other_value(answer: str, value: float) -> str:
    """The answer with each occurrence of a number replaced by another one."""
    for found in reversed([q for q in quantities(answer) if q.value == value]):
        unit = f" {found.unit}" if found.unit not in ("", "points") else ""
        scale = " out of 10" if found.unit == "points" else ""
        answer = f"{answer[: found.start]}{3 * value + 1:g}{unit}{scale} {answer[found.end :]}"
    return answer


@pytest.mark.parametrize("language", LANGUAGES)
def test_another_date_fails_its_item(language: Language) -> None:
    for turn in SPOKEN:
        for number, item in enumerate(turn.rubric[language]):
            for date in statement(item, language).dates:
                mutant = turn.answers[language].replace(date, "2099-01-01")
                assert states(turn, language, mutant)[number] == "failed", item


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_answer_fails_all_but_what_is_forbidden(language: Language) -> None:
    for turn in SPOKEN:
        wanted = [
            "passed" if statement(item, language).forbidden else "failed"
            for item in turn.rubric[language]
        ]
        assert states(turn, language, "") == wanted


def test_both_languages_ask_for_the_same() -> None:
    """Numbers and dates of an item are the same in both languages."""
    for turn in SPOKEN:
        for english, chinese in zip(turn.rubric["en"], turn.rubric["zh"], strict=True):
            left, right = statement(english, "en"), statement(chinese, "zh")
            assert left.forbidden == right.forbidden, english
            assert left.dates == right.dates
            # "Three times" is a frequency in English and may be a number in Chinese.
            if not any(term.kind == "frequency" for term in (*left.terms, *right.terms)):
                values = [[q.value for q in each.quantities] for each in (left, right)]
                assert values[0] == values[1]


def test_the_language_of_gold_answers_is_told() -> None:
    for turn in TURNS:
        for language in LANGUAGES:
            assert language_of(turn.answers[language]) == language


def test_items_of_another_turn_are_not_passed_by_a_gold_answer() -> None:
    passed = total = 0
    for turn, other in zip(SPOKEN, SPOKEN[5:], strict=False):
        foreign = replace(turn, rubric=other.rubric)
        wanted = [not statement(item, "en").forbidden for item in other.rubric["en"]]
        found = states(foreign, "en", turn.answers["en"])
        passed += sum(state == "passed" and w for state, w in zip(found, wanted, strict=True))
        total += sum(wanted)
    assert (passed, total) == (4, 304)
