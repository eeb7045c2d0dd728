"""The model-played user, its verifier and its validator, on scripted models."""

import asyncio
from collections.abc import Sequence
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel

from wardround.benchmarks.chatqa.prompts import (
    reflection_prompt,
    user_prompt,
    validator_prompt,
    verifier_prompt,
)
from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.tools import ToolSpec
from wardround.core.trajectory import Called, Event, Noted, Returned, Said
from wardround.models.messages import Message, Reply
from wardround.models.model import Model
from wardround.people.llm_people import LLMUser, transcript, validate
from wardround.people.verification import Check, verified_message

Schema = TypeVar("Schema", bound=BaseModel)
ACCEPTED = {"explanation": "fine", "verdict": "accepted"}
REJECTED = {"explanation": "too polite", "verdict": "rejected"}


class Scripted:
    """A model with scripted answers that records its prompts; None is a malformed answer."""

    name = "scripted"

    def __init__(self, *answers: Any) -> None:
        self._answers = list(answers)
        self.prompts: list[list[Message]] = []

    async def chat(self, messages: Sequence[Message], tools: Sequence[ToolSpec] = ()) -> Reply:
        self.prompts.append(list(messages))
        return Reply(self._answers.pop(0))

    async def structured(self, messages: Sequence[Message], schema: type[Schema]) -> Schema:
        self.prompts.append(list(messages))
        answer = self._answers.pop(0)
        if answer is None:
            raise MalformedAnswerError("no such form")
        return schema.model_validate(answer)


def check_with(
    verifier: Model, reflector: Model, notes: list[Noted], lessons: Sequence[str] = ()
) -> Check:
    rules = user_prompt("You want the count.", now="2100-12-31 23:59:00")
    return Check(
        verifier,
        reflector,
        verifier_prompt(rules, lessons),
        reflection_prompt(rules, lessons),
        notes.append,
    )


def revision(message: str, issue: str = "politeness") -> dict[str, str]:
    return {"issue": issue, "message": message}


def test_accepted_draft_is_sent_unchanged() -> None:
    notes: list[Noted] = []
    check = check_with(Scripted(ACCEPTED), Scripted(), notes)
    assert asyncio.run(verified_message("", "How many?", check)) == "How many?"
    assert [note.subject for note in notes] == ["verdict"]


def test_rejected_draft_is_revised_repeatedly() -> None:
    notes: list[Noted] = []
    verifier = Scripted(REJECTED, {**REJECTED, "explanation": "still polite"}, ACCEPTED)
    reflector = Scripted(revision("second", "first issue"), revision("third", "second issue"))
    check = check_with(verifier, reflector, notes)
    assert asyncio.run(verified_message("Agent: Hi", "first", check)) == "third"
    first, second = (prompt[-1].text for prompt in reflector.prompts)
    assert all(words in first for words in ("first", "too polite", "Agent: Hi"))
    assert all(words in second for words in ("second", "still polite", "first issue"))
    assert "second issue" in verifier.prompts[2][-1].text
    expected = ["verdict", "revision", "verdict", "revision", "verdict"]
    assert [note.subject for note in notes] == expected
    assert notes[0].data == {"message": "first", **REJECTED}


def test_last_revision_is_used_when_rounds_run_out() -> None:
    notes: list[Noted] = []
    revisions = [revision(text) for text in ("second", "third", "fourth")]
    check = check_with(Scripted(*[REJECTED] * 3), Scripted(*revisions), notes)
    assert asyncio.run(verified_message("", "first", check)) == "fourth"
    assert notes[-1].subject == "unverified"
    assert notes[-1].data["message"] == "fourth"


@pytest.mark.parametrize(
    ("verdicts", "revisions", "sent"),
    [
        ([None], [], "first"),
        ([REJECTED], [None], "first"),
        ([REJECTED, None], ["second"], "second"),
    ],
)
def test_draft_is_sent_and_noted_if_a_checker_gives_no_answer(
    verdicts: list[Any], revisions: list[Any], sent: str
) -> None:
    notes: list[Noted] = []
    reflector = Scripted(*[revision(r) if r else None for r in revisions])
    check = check_with(Scripted(*verdicts), reflector, notes)
    assert asyncio.run(verified_message("", "first", check)) == sent
    assert notes[-1] == Noted("unverified", {"reason": "no such form", "message": sent})


def test_lessons_reach_verifier_and_reflection() -> None:
    verifier, reflector = Scripted(REJECTED, ACCEPTED), Scripted(revision("second"))
    check = check_with(verifier, reflector, [], lessons=("It forgot the ties.",))
    asyncio.run(verified_message("", "first", check))
    prompts = [*verifier.prompts, *reflector.prompts]
    assert all("It forgot the ties." in messages[-1].text for messages in prompts)


def test_user_sees_the_conversation_from_its_side_and_ends_it() -> None:
    model = Scripted("How many patients?", " Last 180 days. ", "###END###")
    verifier = Scripted(ACCEPTED, ACCEPTED, ACCEPTED)
    user = LLMUser(model, "the system prompt", check_with(verifier, Scripted(), []))

    async def live() -> list[tuple[str, bool]]:
        utterances = [
            await user.open(),
            await user.reply("Which days?"),
            await user.reply("Three."),
        ]
        return [(utterance.text, utterance.ends) for utterance in utterances]

    assert asyncio.run(live()) == [
        ("How many patients?", False),
        ("Last 180 days.", False),
        ("###END###", True),
    ]
    roles = [message.role for message in model.prompts[-1]]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]
    assert model.prompts[-1][0].text == "the system prompt"
    assert "User: How many patients?\n\nAgent: Which days?" in verifier.prompts[1][-1].text


def test_end_token_with_text_ends_and_the_revised_message_is_remembered() -> None:
    model = Scripted("Thank you! ###END###")
    assert asyncio.run(LLMUser(model, "rules").open()).ends

    revised = Scripted("Please?", "And now?")
    check = check_with(Scripted(REJECTED, ACCEPTED, ACCEPTED), Scripted(revision("How?")), [])
    user = LLMUser(revised, "rules", check)

    async def live() -> None:
        await user.open()
        await user.reply("Like this.")

    asyncio.run(live())
    assert [m.text for m in revised.prompts[1] if m.role == "assistant"] == ["How?"]


def test_empty_message_is_requested_again_and_never_sent() -> None:
    assert asyncio.run(LLMUser(Scripted("", " ", "Hi"), "rules").open()).text == "Hi"
    with pytest.raises(InfraError, match="wrote nothing"):
        asyncio.run(LLMUser(Scripted("", "", ""), "rules").open())


FINDING = {"explanation": "It asked for 6 months.", "broken_rule": "180 days", "evidence": "6 m"}


@pytest.mark.parametrize(
    ("answer", "verdict", "words"),
    [
        ({**FINDING, "result": "user_error"}, "user_error", "6 months. Broken rule: 180 days"),
        ({**FINDING, "result": "user_error", "broken_rule": ""}, "user_error", "6 months."),
        ({**FINDING, "result": "no_error"}, "valid", "6 months."),
        (None, "undecided", "no such form"),
    ],
)
def test_validator_finding_becomes_a_validation(answer: Any, verdict: str, words: str) -> None:
    notes: list[Noted] = []
    validation = asyncio.run(validate(Scripted(answer), "the prompt", notes.append))
    assert validation.state == verdict
    assert validation.explanation.endswith(words)
    assert [note.data for note in notes] == ([answer] if answer else [])


def test_prompts_contain_their_arguments() -> None:
    rules = user_prompt("You want <the> count & more.", now="2100-06-01 00:00:00")
    assert "You want <the> count & more." in rules
    assert "2100-06-01 00:00:00" in rules
    prompt = validator_prompt(rules, "User: {{ hm }}", "SELECT 1 WHERE 2 < 3")
    assert all(part in prompt for part in (rules, "User: {{ hm }}", "2 < 3"))


def test_transcript_contains_messages_but_no_tool_calls() -> None:
    events: list[Event] = [
        Said("user", "How many?"),
        Called("sql_execute", {"query": "SELECT 1"}),
        Returned("sql_execute", "[(1,)]"),
        Noted("verdict", {}),
        Said("agent", "One."),
    ]
    assert transcript(events) == "User: How many?\n\nAgent: One."
