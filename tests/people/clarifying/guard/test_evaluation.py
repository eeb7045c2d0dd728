"""UserSim-Guard: the question file, and what is made of a user's answers."""

from collections.abc import Collection, Sequence
from pathlib import Path

import pytest

from tests.cases import for_each
from wardround.core.errors import UserError
from wardround.core.tools import ToolSpec
from wardround.models import scripted
from wardround.models.messages import Message, Reply
from wardround.models.model import Model
from wardround.models.roles import RoleModels
from wardround.people.clarifying.guard import (
    Category,
    GuardQuestion,
    Simulator,
    accuracy,
    judged,
    matches,
    parse_guard,
    read_guard,
    referenced,
    users_of,
)
from wardround.people.clarifying.secret import Ambiguity, Answer, Labelled, Located, Refused, Secret

ELDERLY = Ambiguity("elderly", "semantic", ("age > 80",))
SECRET = Secret(
    "How many elderly women?",
    "",
    ("SELECT COUNT(*) FROM p WHERE age > 80 AND sex = 'F'",),
    (ELDERLY,),
)


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("rubbish", "Line 1 of x is not a guard question: the line: Invalid JSON"),
        ('{"task": "t"}', "Line 1 of x is not a guard question: category: "),
        (
            '{"task": "t", "category": "ABC", "style": "normal", "question": "?"}',
            "Line 1 of x is not a guard question: category: Input should be 'AMB', 'LOC' or 'UNA'",
        ),
    ],
)
def test_malformed_line_is_named(line: str, wrong: str) -> None:
    with pytest.raises(UserError, match=wrong):
        parse_guard(line, "x")


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"):
        read_guard(tmp_path / "none.jsonl")


def test_a_file_without_questions_is_refused(tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text("\n")
    with pytest.raises(UserError, match="holds no question"):
        read_guard(tmp_path / "none.jsonl")


@for_each(
    [
        ("AMB", "elderly", Labelled(ELDERLY), True),
        ("AMB", "old", Labelled(ELDERLY), False),
        ("AMB", "elderly", Located("age > 80"), False),
        ("LOC", "LIMIT 10", Located("limit  10"), True),
        ("LOC", "ORDER BY a, b", Located("ORDER BY a"), True),
        ("LOC", "ORDER BY a", Located("LIMIT 10"), False),
        ("LOC", "LIMIT 10", Refused(), False),
        ("UNA", "", Refused(), True),
        ("UNA", "", Labelled(ELDERLY), False),
        ("UNA", "", None, None),
    ]
)
def test_right_choices(
    category: Category,
    reference: str,
    choice: Labelled | Located | Refused | None,
    right: bool | None,
) -> None:
    question = GuardQuestion("t", category, "normal", "?", reference)
    assert matches(question, Answer("so", choice)) is right


@pytest.mark.parametrize(
    ("category", "choice"), [("AMB", Labelled(ELDERLY)), ("LOC", Located("elderly"))]
)
def test_refusal_of_an_answerable_question_is_wrong(
    category: Category, choice: Labelled | Located
) -> None:
    question = GuardQuestion("t", category, "normal", "?", "elderly")
    assert matches(question, Answer("It is so.", choice))
    assert not matches(question, Answer("I cannot say.", choice, refused=True))


class Silent:
    """A user that says the same to everything."""

    async def clarify(self, question: str, seen: Collection[str]) -> Answer:
        return Answer("I cannot say.", None, ("x",))


def judge(*ratings: str) -> Model:
    texts = iter(ratings)

    def answer(messages: Sequence[Message], tools: Sequence[ToolSpec]) -> Reply:
        assert "I cannot say." in messages[0].text
        return Reply(next(texts))

    return scripted(answer).bind("judge", lambda event: None, seed=1)


def rating(letter: str) -> str:
    return f'{{"thought": "so", "rating": "{letter}"}}'


async def test_both_judges_must_find_a_reply_acceptable() -> None:
    questions = [GuardQuestion("t", "UNA", "normal", f"{number}?") for number in range(4)]
    first = judge(*map(rating, "AABC"))
    second = judge(rating("A"), rating("C"), rating("B"), rating("A"))
    outcomes = [item async for item in judged(questions, lambda task: Silent(), [first, second])]
    assert [outcome.right for outcome in outcomes] == [True, False, True, False]


async def test_judge_without_rating_accepts_nothing() -> None:
    question = GuardQuestion("t", "UNA", "normal", "?")
    outcomes = [
        item async for item in judged([question], lambda task: Silent(), [judge(*["what?"] * 9)])
    ]
    assert not outcomes[0].right


async def test_of_a_user_who_does_not_choose_only_judges_can_tell() -> None:
    question = GuardQuestion("t", "UNA", "normal", "?")
    outcomes = [item async for item in referenced([question], lambda task: Silent())]
    assert outcomes[0].right is None
    assert accuracy(outcomes, "silent").rows[2] == ("UNA", None, None, None, None, 1, 1)


async def test_the_table_is_by_category_and_style() -> None:
    questions = [
        GuardQuestion("t", "UNA", "normal", "?"),
        GuardQuestion("t", "UNA", "normal", "!"),
        GuardQuestion("t", "UNA", "verbose", "..."),
    ]
    outcomes = [
        item
        async for item in judged(questions, lambda task: Silent(), [judge(*map(rating, "ACA"))])
    ]
    table = accuracy(outcomes, "silent")
    assert table.columns[:5] == ("category", "concise", "normal", "verbose", "all")
    assert table.rows[2] == ("UNA", None, 50.0, 100.0, 66.7, 3, 3)
    assert table.rows[0] == ("AMB", None, None, None, None, 0, 0)


def models(answer: str) -> RoleModels:
    """The user's model as a function that always writes the same."""
    roles = RoleModels({})
    played = scripted(lambda messages, tools: Reply(answer))
    roles.open = lambda role: played  # type: ignore[method-assign]
    return roles


@pytest.mark.parametrize(
    ("simulator", "written_by_model", "action"),
    [
        ("model-free", "", "AMB"),
        ("baseline", "Older than 80.", None),
        ("function-driven", '{"thought": "", "action": "forbidden", "number": 0}', "UNA"),
    ],
)
async def test_every_simulator_can_be_asked(
    simulator: Simulator, written_by_model: str, action: str | None
) -> None:
    user = users_of(simulator, {"t": SECRET}, models(written_by_model), lambda event: None)
    answer = await user("t").clarify("Who is elderly?", set())
    kinds = {Labelled: "AMB", Located: "LOC", Refused: "UNA"}
    assert kinds.get(type(answer.choice)) == action


def test_a_user_that_needs_a_model_says_so() -> None:
    with pytest.raises(UserError, match="has no language model"):
        users_of("baseline", {}, RoleModels({}), lambda event: None)


async def test_a_question_about_a_task_that_there_is_not() -> None:
    user = users_of("model-free", {}, RoleModels({}), lambda event: None)
    with pytest.raises(UserError, match="about the task 't', which is not among the tasks"):
        await anext(referenced([GuardQuestion("t", "UNA", "normal", "?")], user))
