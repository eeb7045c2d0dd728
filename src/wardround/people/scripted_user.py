"""A user without a language model: follows an instruction piece by piece, by rule and seed.

It keeps the rules of the paper's user (Lee et al. 2025, A.3.2): a broad opening, then one or two
sentences at a time in the first person, nothing that the instruction does not say, no SQL, no
schema, a double check before the end, and the end token alone.

Instructions that it follows best keep to this small grammar, one thing a sentence:

- "Your goal is to FIND SOMETHING BROAD." comes first and gives no detail: it is the opening.
- "Specifically, you are interested in X and want to know Y.", "You want …", "You need …": said
  always. A sentence that refers back ("Among them, …", "… those patients …", "Then …") keeps its
  place after the one before it; without conditions the others may come in any order.
- "If X is not found/prescribed/recorded, you want …", "If X was found, you want …", "Otherwise,
  …": said only when the agent's last report meets the condition. Write a pair as two sentences
  that name the same X. A condition that comes right after a branch and names something else,
  or points back at it ("If such drugs are found, …"), belongs to that branch and is only met
  there; "you want" without a condition ends the branching.
- "If the patient is dead, you want …", "If more than 10 are found, you want …": said once the
  agent reports what the condition states; a report takes one of several such sentences.
- "…, end the conversation.": nothing more is raised.
- "If there are ties/multiple/duplicate …, you want …": a condition on the data, said always.
- "You want the answer(s)/number/time in/as/rounded …": how the answer should look, said when
  asked or once no branch is open, at the latest with the double check.
- "If the agent asks about X, say that Y.": said only when asked.
- "Do not reveal/mention X until …": whatever names X waits until the agent says X.
- "Use common terms like …", "When querying the agent, …", "You do not know …", "Do not ask …":
  for the user alone, never said.
"""

import re
from random import Random

from wardround.people.agenda import Agenda
from wardround.people.instruction import matching_answer, stems
from wardround.people.instruction_parser import read_instruction
from wardround.people.patterns import content_words, packaged, pattern
from wardround.people.person import END, Utterance
from wardround.people.reply_classifier import Outcome, ReplyClass, classify_reply

PATIENCE = 3


class ScriptedUser:
    """A simulated user that needs no model.

    Args:
        instruction: the instruction, in the second person ("Your goal is to …", "you want …").
        seed: decides the wording and, where the instruction allows, the order.
    """

    def __init__(self, instruction: str, seed: int) -> None:
        random = Random(seed)
        self._instruction = read_instruction(instruction)
        self._random = random
        self._wording = Wording(random)
        self._agenda = Agenda(self._instruction, random)
        self._answers = list(self._instruction.answers)
        self._stated: list[str] = []
        self._patience = PATIENCE
        self._checked = False

    async def open(self) -> Utterance:
        """Returns the broad goal and nothing else."""
        goal = self._instruction.goal
        if not goal:
            return Utterance(self._wording.say("open_plain"))
        return Utterance(self._wording.say("open", goal=goal))

    async def reply(self, message: str) -> Utterance:
        """Returns the reply; the end token alone once nothing is left to say."""
        self._agenda.release(message)
        reply = classify_reply(message)
        if reply.outcome:
            self._agenda.decide(message)
        text = self._respond(reply)
        return Utterance(text, text == END)

    def _respond(self, reply: ReplyClass) -> str:
        """Answers a result or a question, or else loses patience by a step."""
        if reply.outcome and not reply.demand:
            self._patience = PATIENCE
            return self._go_on(reply.outcome)
        if information := self._new_information(reply):
            self._patience = PATIENCE
            return information
        self._patience -= 1
        return self._put_off(reply) if self._patience > 0 else self._lose_patience(reply.outcome)

    def _go_on(self, outcome: Outcome) -> str:
        """Continues after a result: its branch, the next piece, the double check or the end."""
        self._agenda.settle(outcome)
        return self._next() or self._close()

    def _new_information(self, reply: ReplyClass) -> str | None:
        """Returns something new if the agent asks for it or already has permission to go on."""
        match reply.demand:
            case "detail":
                return self._answer(reply.question)
            case "leave" | "more" if self._has_cue(reply.question):
                return self._answer(reply.question)
            case "form":
                answer_format = self._agenda.take_answer_format()
                return (
                    self._state(answer_format, "request")
                    if answer_format
                    else self._answer(reply.question)
                )
            case "more":
                return self._next() or (None if self._agenda.awaits_report else self._close())
            case "leave" if self._patience < PATIENCE:
                return self._next()
            case _:
                return None

    def _answer(self, question: str) -> str | None:
        """Answers a question with something new, if anything is left."""
        words = content_words(question)
        if answer := matching_answer(self._answers, words):
            self._answers.remove(answer)
            return self._state(answer.text, "request")
        return self._next(question)

    def _has_cue(self, question: str) -> bool:
        asked = stems(content_words(question))
        return any(stems(answer.cue) & asked for answer in self._answers)

    def _next(self, question: str = "") -> str | None:
        piece = self._agenda.take(question)
        if piece is None:
            return None
        self._checked = False
        text = self._state(piece.text, "branch" if piece.depends else "request")
        return f"{text} {second}" if (second := self._second_sentence()) else text

    def _second_sentence(self) -> str | None:
        """Returns a second sentence half of the time: a follower or an answer format."""
        if self._random.random() < 0.5:
            return None
        if follower := self._agenda.take_follower():
            return self._state(follower.text, "company")
        answer_format = self._agenda.take_answer_format()
        return self._state(answer_format, "company") if answer_format else None

    def _state(self, text: str, kind: str) -> str:
        self._stated.append(text)
        return self._wording.piece(text, kind)

    def _close(self) -> str:
        """Returns the double check with any remaining answer format, and then the end."""
        answer_format = self._agenda.take_answer_format()
        if answer_format is None and self._checked:
            return END
        self._checked = True
        check = self._wording.say("check")
        return f"{self._state(answer_format, 'request')} {check}" if answer_format else check

    def _lose_patience(self, outcome: Outcome | None) -> str:
        """Goes on without progress of the agent; its last message counts as its result."""
        if outcome:
            return self._go_on(outcome)
        self._agenda.abandon()
        if information := self._next():
            self._patience = PATIENCE
            return information
        return self._close()

    def _put_off(self, reply: ReplyClass) -> str:
        match reply.demand:
            case "schema" | "work" | "finish":
                return self._wording.say(reply.demand)
            case "detail" | "form":
                return self._confirm(reply.question)
            case "leave" if self._patience == PATIENCE - 1:
                return self._wording.say("leave")
            case _:
                return self._wording.say("press")

    def _confirm(self, question: str) -> str:
        """Confirms what was stated before; otherwise repeats it."""
        words = content_words(question)
        stated_words = content_words(" ".join(self._stated))
        if words and words <= stated_words and _is_closed(question):
            return self._wording.say("yes")
        best = max(self._stated, key=lambda text: len(content_words(text) & words), default="")
        if content_words(best) & words:
            return self._wording.piece(best, "repeat")
        return self._wording.say("unknown")


def _is_closed(question: str) -> bool:
    closed = pattern("reply_patterns", "closed").search(question)
    return bool(closed) and not pattern("reply_patterns", "either_or").search(question)


class Wording:
    """Chooses wordings; the same seed chooses the same."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def say(self, kind: str, **blanks: str) -> str:
        """Returns a line of a kind with its blanks filled in."""
        line = str(self._random.choice(packaged("user_wordings")[kind]))
        return _upper(line.format(**blanks))

    def piece(self, text: str, kind: str) -> str:
        """Puts a piece in a line of a kind, possibly with a synonymous opening phrase."""
        line = str(self._random.choice(packaged("user_wordings")[kind]))
        swapped = self._swapped(text)
        runs_on = re.search(r"[^.?!]\s\{piece\}", line)
        return _upper(line.format(piece=_lower(swapped) if runs_on else swapped))

    def _swapped(self, text: str) -> str:
        for phrase, likes in packaged("user_wordings")["swap"].items():
            if text.startswith(phrase):
                return str(self._random.choice(likes)) + text.removeprefix(phrase)
        return text


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    """Lowers the first letter, except of "I" and abbreviations."""
    return text if re.match(r"I\b|[A-Z]{2}", text) else text[:1].lower() + text[1:]
