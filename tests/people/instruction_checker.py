"""Checks that a scripted user says each clause of an instruction once, in its branch only.

The check needs no labels: it reads the instruction's sentences by itself, and compares them with
all that the user may say, and with whole talks.
"""

import asyncio
import re
from collections.abc import Iterator
from itertools import combinations

from wardround.people.clause_classifier import clause_role
from wardround.people.instruction import Instruction, Junction, Piece, Step
from wardround.people.instruction_parser import read_instruction
from wardround.people.patterns import content_words
from wardround.people.person import END
from wardround.people.scripted_user import ScriptedUser
from wardround.people.sentences import sentences

REPORTS = ("There are 7 of them. <answer>7</answer>", "Nothing was found in the records.")
# Share of a clause's words that have to be in what is said.
ENOUGH = 0.5
LONGEST = 40

_QUOTED = re.compile(r"[\"'\u201c\u2018](?=\w).*?(?<=[\w.,%)])[\"'\u201d\u2019](?!\w)")
_STAGE = re.compile(
    r"\b(?:the (?:DB |database )?agent\b"
    r"|(?:do not|don't|never) (?:reveal|mention|disclose|say that)"
    r"|without (?:revealing|mentioning)|(?:when|if) (?:you are )?asked\b|end the conversation"
    r"|you (?:want|are|should|do not|don't)\b|then ask\b"
    r"|^(?:confirm|remind|tell|reply|answer|say|respond)\b)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^(?:and |but |then )?(?:only )?(?:if|when|whenever|should|unless|once|suppose|where"
    r"|as soon as|in case|in the event|provided|otherwise|failing that|after)\b"
    r"(?P<on>[^,]*),\s*(?P<body>.+)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:not? (?:\w+ )?(?:found|recorded|prescribed|available|exist)"
    r"|(?:is|are|was|were) (?:not )?(?:found|none|any|no)\b"
    r"|finds? (?:none|nothing|some|any)|empty)",
    re.IGNORECASE,
)
_VALUE = re.compile(r"(?<![\w.-])\d+(?:[.:-]\d+)*(?![\w-])")
_FRAME = content_words(
    "your goal you want wants to know see find like would need needs ask asks agent say tell it "
    "answer reply specify request give also only then finally specifically interested interest "
    "look into mean specific next first get information learn restrict count please mention are "
    "decline thank"
)


def sayable(instruction: Instruction) -> list[str]:
    """Every text that the user may say, over all branches."""
    steps = [*instruction.script]
    steps += [step for group in instruction.alternatives for each in group for step in each.steps]
    texts = [text for step in steps for text in _texts(step)]
    answers = [answer.text for answer in instruction.answers]
    goal = [instruction.goal] if instruction.goal else []
    return [*goal, *texts, *instruction.answer_formats, *answers]


def faults(text: str) -> list[str]:
    """The faults of a scripted user with an instruction."""
    instruction = read_instruction(text)
    texts = sayable(instruction)
    return [
        *_spoken_directions(texts),
        *_dropped(text, texts),
        *_twice(text, texts),
        *_unheld(text, instruction),
        *_both_branches(text, instruction),
    ]


def _spoken_directions(texts: list[str]) -> Iterator[str]:
    for said in texts:
        if found := _STAGE.search(_QUOTED.sub("", said)):
            yield f"speaks {found[0]!r}: {said}"


def _dropped(text: str, texts: list[str]) -> Iterator[str]:
    """Requests whose words, or whose values, are in nothing that may be said."""
    every = content_words(" ".join(texts))
    for sentence in sentences(text):
        conditional = _CONDITION.match(sentence)
        body = conditional["body"] if conditional else sentence
        if clause_role(body) != "ask" or "end the conversation" in body.lower():
            continue
        wanted = content_words(body) - _FRAME
        if wanted and len(wanted & every) < ENOUGH * len(wanted):
            yield f"leaves out: {sentence}"
        elif lost := set(_VALUE.findall(body)) - set(_VALUE.findall(" ".join(texts))):
            yield f"leaves out {sorted(lost)}: {sentence}"


def _twice(text: str, texts: list[str]) -> Iterator[str]:
    """Texts with the same content, unless the instruction repeats itself."""
    written = len(sentences(text))
    for first, second in combinations(texts, 2):
        if content_words(first) == content_words(second) and len(texts) > written:
            yield f"says twice: {first}"


def _unheld(text: str, instruction: Instruction) -> Iterator[str]:
    """Requests that wait for a report and are said without one."""
    plain = [step.text for step in instruction.script if isinstance(step, Piece)]
    for sentence in sentences(text):
        conditional = _CONDITION.match(sentence)
        if not conditional or not (
            _REPORTED.search(conditional["on"]) or sentence.lower().startswith("otherwise")
        ):
            continue
        body = content_words(conditional["body"]) - _FRAME
        for said in plain:
            if body and body <= content_words(said) and "if " not in said.lower():
                yield f"does not wait: {said}"


def _both_branches(text: str, instruction: Instruction) -> Iterator[str]:
    """Pieces of both branches of a junction, or one piece twice, in one talk."""
    junctions = [step for step in instruction.script if isinstance(step, Junction)]
    for report in REPORTS:
        said = "\n".join(_talk(text, report)).lower()
        for junction in junctions:
            branches = [
                [_core(t) for step in side for t in _texts(step)]
                for side in (junction.found, junction.nothing)
            ]
            if all(any(core in said for core in branch) for branch in branches):
                yield f"says both branches after {report!r}: {branches}"
        for each in instruction.script:
            if isinstance(each, Piece) and said.count(_core(each.text)) > 1:
                yield f"says twice after {report!r}: {each.text}"


def _talk(text: str, report: str) -> list[str]:
    async def live() -> list[str]:
        user = ScriptedUser(text, 0)
        turns = [(await user.open()).text]
        while turns[-1] != END and len(turns) < LONGEST:
            turns.append((await user.reply(report)).text)
        return turns

    return asyncio.run(live())


def _core(text: str) -> str:
    """The end of a text, which no wording changes."""
    return text.lower().rstrip(".")[-40:]


def _texts(step: Step) -> Iterator[str]:
    match step:
        case Piece(text):
            yield text
        case Junction(found, nothing):
            for inner in (*found, *nothing):
                yield from _texts(inner)
