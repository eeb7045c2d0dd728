"""A user without a language model: follows an instruction piece by piece, by rule and seed.

It keeps the rules of the paper's user (A.3.2): a broad opening, then one or two sentences at a
time in the first person, nothing that the instruction does not say, no SQL, no schema, a double
check before the end, and the end token alone.

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
- "…, end the conversation.": nothing more is raised.
- "If there are ties/multiple/duplicate …, you want …": a condition on the data, said always.
- "You want the answer(s)/number/time in/as/rounded …": how the answer should look, said when
  asked or once no branch is open, at the latest with the double check.
- "If the agent asks about X, say that Y.": said only when asked.
- "Do not reveal/mention X until …": whatever names X waits until the agent says X.
- "Use common terms like …", "When querying the agent, …", "You do not know …", "Do not ask …":
  for the user alone, never said.
"""

from random import Random

from wardround.people.agenda import Agenda
from wardround.people.end_token import END
from wardround.people.instruction import read_instruction
from wardround.people.patterns import content_words, pattern
from wardround.people.person import Utterance
from wardround.people.reply_classifier import Heard, Outcome, hear
from wardround.people.wording import Wording

PATIENCE = 3


class ScriptedUser:
    """A simulated user that needs no model.

    Args:
        instruction: what it is after, written to it ("Your goal is to …", "you want …").
        seed: wording and, where the instruction lets it, order.
    """

    def __init__(self, instruction: str, seed: int) -> None:
        random = Random(seed)
        self._instruction = read_instruction(instruction)
        self._random = random
        self._wording = Wording(random)
        self._agenda = Agenda(self._instruction, random)
        self._answers = list(self._instruction.answers)
        self._said: list[str] = []
        self._patience = PATIENCE
        self._checked = False

    async def open(self) -> Utterance:
        """The broad goal and nothing else."""
        goal = self._instruction.goal
        if not goal:
            return Utterance(self._wording.say("open_plain"))
        return Utterance(self._wording.say("open", goal=goal))

    async def reply(self, said: str) -> Utterance:
        """What the user answers; the end token alone once there is nothing left to raise."""
        self._agenda.release(said)
        text = self._respond(hear(said))
        return Utterance(text, text == END)

    def _respond(self, heard: Heard) -> str:
        """To a result what follows from it; to a question the next piece; else patience."""
        if heard.outcome and not heard.demand:
            self._patience = PATIENCE
            return self._go_on(heard.outcome)
        if told := self._told(heard):
            self._patience = PATIENCE
            return told
        self._patience -= 1
        return self._put_off(heard) if self._patience > 0 else self._lose_patience(heard.outcome)

    def _go_on(self, outcome: Outcome) -> str:
        """After a result: what depends on it, what comes next, the double check or the end."""
        self._agenda.settle(outcome)
        return self._next() or self._close()

    def _told(self, heard: Heard) -> str | None:
        """Something that was not said yet, if the agent asks or has had its leave already."""
        match heard.demand:
            case "detail":
                return self._tell(heard.question)
            case "form":
                manner = self._agenda.take_manner()
                return self._raise(manner, "request") if manner else self._tell(heard.question)
            case "more":
                return self._next() or (None if self._agenda.waits else self._close())
            case "leave" if self._patience < PATIENCE:
                return self._next()
            case _:
                return None

    def _tell(self, question: str) -> str | None:
        """The answer to a question, if there is something that was not said yet."""
        asked = content_words(question)
        for answer in self._answers:
            if answer.cue & asked:
                self._answers.remove(answer)
                return self._raise(answer.text, "request")
        return self._next(question)

    def _next(self, question: str = "") -> str | None:
        piece = self._agenda.take(question)
        if piece is None:
            return None
        self._checked = False
        text = self._raise(piece.text, "branch" if piece.depends else "request")
        return f"{text} {company}" if (company := self._company()) else text

    def _company(self) -> str | None:
        """Now and then a second sentence: what belongs to the first, or how to answer."""
        if self._random.random() < 0.5:
            return None
        if follower := self._agenda.take_follower():
            return self._raise(follower.text, "company")
        manner = self._agenda.take_manner()
        return self._raise(manner, "company") if manner else None

    def _raise(self, text: str, kind: str) -> str:
        self._said.append(text)
        return self._wording.piece(text, kind)

    def _close(self) -> str:
        """How the answer should look, if that was not said, with the double check; or the end."""
        manner = self._agenda.take_manner()
        if manner is None and self._checked:
            return END
        self._checked = True
        check = self._wording.say("check")
        return f"{self._raise(manner, 'request')} {check}" if manner else check

    def _lose_patience(self, outcome: Outcome | None) -> str:
        """The agent gets nowhere: what it said counts as its result, and the talk goes on."""
        if outcome:
            return self._go_on(outcome)
        self._agenda.abandon()
        if told := self._next():
            self._patience = PATIENCE
            return told
        return self._close()

    def _put_off(self, heard: Heard) -> str:
        match heard.demand:
            case "schema" | "work" | "finish":
                return self._wording.say(heard.demand)
            case "detail" | "form":
                return self._confirm(heard.question)
            case "leave" if self._patience == PATIENCE - 1:
                return self._wording.say("leave")
            case _:
                return self._wording.say("press")

    def _confirm(self, question: str) -> str:
        """Yes to what was said before in so many words; else only what was said before."""
        asked = content_words(question)
        known = content_words(" ".join(self._said))
        if asked and asked <= known and _is_closed(question):
            return self._wording.say("yes")
        best = max(self._said, key=lambda text: len(content_words(text) & asked), default="")
        if content_words(best) & asked:
            return self._wording.piece(best, "repeat")
        return self._wording.say("unknown")


def _is_closed(question: str) -> bool:
    closed = pattern("hearing", "closed").search(question)
    return bool(closed) and not pattern("hearing", "either_or").search(question)
