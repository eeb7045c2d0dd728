"""The three simulated users with scripted models."""

import json
from collections.abc import Sequence

import pytest

from tests.people.clarifying.secrets import questions, secrets
from wardround.core.tools import ToolSpec
from wardround.models import scripted
from wardround.models.messages import Message, Reply
from wardround.models.model import Model
from wardround.people.clarifying import Baseline, FunctionDriven, ModelFree
from wardround.people.clarifying.leak_filter import leaks
from wardround.people.clarifying.secret import Labelled, Located, Refused

SECRETS = secrets()
ELDERLY = SECRETS["elderly"]
QUESTION = "From what age on?"


def playing(*written: str) -> tuple[Model, list[str]]:
    """A model that writes these texts one after the other, and the prompts it was given."""
    heard: list[str] = []
    texts = iter(written)

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        heard.append(messages[-1].text)
        return Reply(next(texts))

    return scripted(answer).bind("user", lambda event: None, seed=1), heard


def decision(action: str, number: int = 0) -> str:
    return json.dumps({"thought": "so", "action": action, "number": number})


async def test_generator_sees_the_choice_only() -> None:
    parser, asked = playing(decision("ambiguity", 1))
    generator, told = playing("<s>Everybody older than 80.</s>")
    answer = await FunctionDriven(ELDERLY, parser, generator).clarify(QUESTION, set())
    assert answer.text == "Everybody older than 80."
    assert answer.choice == Labelled(ELDERLY.ambiguities[0])
    assert "GROUP BY a.admission_type" in asked[0]
    assert "p.anchor_age > 80" in told[0]
    assert "GROUP BY" not in told[0]
    assert "TIMESTAMP" not in told[0]


async def test_gold_fragment_is_located() -> None:
    parser, _ = playing(decision("piece", 7))
    generator, told = playing("For each type.")
    answer = await FunctionDriven(ELDERLY, parser, generator).clarify("Split how?", set())
    assert answer.choice == Located("GROUP BY a.admission_type")
    assert "GROUP BY a.admission_type" in told[0]


@pytest.mark.parametrize(
    "written",
    [
        [decision("forbidden")],
        [decision("ambiguity", 9), decision("piece", 0), decision("ambiguity", -1)],
        ["no JSON"] * 9,
    ],
)
async def test_refusal_needs_no_generator(written: list[str]) -> None:
    parser, _ = playing(*written)
    generator, told = playing()
    answer = await FunctionDriven(ELDERLY, parser, generator).clarify("Which table?", set())
    assert answer.choice == Refused()
    assert not told
    assert not leaks(answer.text, ELDERLY)


async def test_unknown_number_is_asked_again() -> None:
    parser, asked = playing(decision("ambiguity", 9), decision("ambiguity", 2))
    generator, _ = playing("Since 2190.")
    answer = await FunctionDriven(ELDERLY, parser, generator).clarify("When?", set())
    assert answer.choice == Labelled(ELDERLY.ambiguities[1])
    assert asked[1] == "There is no ambiguity of number 9. Choose again."


@pytest.mark.parametrize("said", ["```sql\nSELECT 1\n```", ""])
async def test_irreparable_reply_is_replaced_by_a_template(said: str) -> None:
    parser, _ = playing(decision("ambiguity", 1))
    generator, _ = playing(*[said] * 3)
    answer = await FunctionDriven(ELDERLY, parser, generator).clarify(QUESTION, set())
    assert "older than 80" in answer.text
    assert len(answer.leaks) == bool(said)


async def test_baseline_leaks_are_repaired_and_counted() -> None:
    model, asked = playing("<s>Use p.anchor_age > 80.</s>")
    answer = await Baseline(ELDERLY, model).clarify(QUESTION, set())
    assert answer.text == "Use older than 80."
    assert answer.choice is None
    assert answer.leaks == ("p.anchor_age > 80", "p.anchor_age")
    assert ELDERLY.gold[0].strip() in asked[0]


async def test_baseline_with_sql_only_refuses() -> None:
    model, _ = playing(f"```{ELDERLY.gold[0]}```")
    answer = await Baseline(ELDERLY, model).clarify("SQL?", set())
    assert answer.text.startswith(("Sorry", "I'm sorry"))


async def test_same_question_gets_same_answer() -> None:
    first = await ModelFree(ELDERLY).clarify(QUESTION, set())
    assert first == await ModelFree(ELDERLY).clarify(QUESTION, set())
    assert first.text.endswith("older than 80.")


@pytest.mark.parametrize("half", ["building", "held_out"])
async def test_model_free_replies_do_not_leak(half: str) -> None:
    for row in questions(half):
        secret = SECRETS[row["task"]]
        answer = await ModelFree(secret).clarify(row["question"], set())
        assert answer.text
        assert not answer.leaks, row
        assert not leaks(answer.text, secret)


@pytest.mark.parametrize(
    "question", ["", "?", "a " * 5_000_000, "which " * 400, "\x00\u202e" * 50, '"""' * 1000]
)
async def test_malformed_question_is_answered_quickly(question: str) -> None:
    answer = await ModelFree(ELDERLY).clarify(question, set())
    assert answer.text
    parser, asked = playing(decision("forbidden"))
    await FunctionDriven(ELDERLY, parser, parser).clarify(question, set())
    assert len(asked[0]) < 6000


async def test_values_of_other_points_are_removed() -> None:
    parser, _ = playing(decision("ambiguity", 1))
    generator, _ = playing("Older than 80. And admitted since January 2190.")
    answer = await FunctionDriven(ELDERLY, parser, generator).clarify(QUESTION, set())
    assert "older than 80" in answer.text
    assert "2190" not in answer.text
    assert answer.leaks == ("2190",)


async def test_reply_full_of_other_values_is_replaced() -> None:
    parser, _ = playing(decision("piece", 7))
    generator, _ = playing("For each type, of those older than 80.")
    answer = await FunctionDriven(ELDERLY, parser, generator).clarify("Split how?", set())
    assert "80" not in answer.text
    assert "for each admission type" in answer.text


async def test_fragment_in_scope_of_an_ambiguity_can_be_located() -> None:
    secret = SECRETS["frail"]
    parser, _ = playing(decision("piece", 1))
    generator, _ = playing("```sql```")
    answer = await FunctionDriven(secret, parser, generator).clarify("As what?", set())
    assert answer.choice == Located("CREATE VIEW frail_patients")
    assert "a view called frail_patients" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Can you clarify your request?",
        "Could you please explain your question in more detail?",
        "What exactly do you want?",
        "Please elaborate.",
    ],
)
async def test_content_free_question_gets_the_request_again(question: str) -> None:
    secret = SECRETS["kidney"]
    answer = await ModelFree(secret).clarify(question, frozenset())
    assert answer.choice == Refused()
    assert not answer.refused
    assert secret.request.strip().rstrip(".?!") in answer.text


async def test_wording_varies_with_the_seed() -> None:
    asked = questions("building")[:8]
    talks = set()
    for seed in range(5):
        users = {row["task"]: ModelFree(SECRETS[row["task"]], seed) for row in asked}
        answers = [await users[row["task"]].clarify(row["question"], frozenset()) for row in asked]
        talks.add(tuple(answer.text for answer in answers))
    assert len(talks) == 5
