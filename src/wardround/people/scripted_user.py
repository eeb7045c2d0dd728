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
  that name the same X. A condition that comes right after a branch belongs to that branch and
  is only met there; "you want" without a condition ends the branching.
- "…, end the conversation.": nothing more is raised.
- "If there are ties/multiple/duplicate …, you want …": a condition on the data, said always.
- "You want the answer(s)/number/time in/as/rounded …": how the answer should look, said beside
  something else.
- "If the agent asks about X, say that Y.": said only when asked.
- "Do not reveal/mention X until …": whatever names X waits until the agent says X.
- "Use common terms like …", "When querying the agent, …", "You do not know …", "Do not ask …":
  for the user alone, never said.
"""

from random import Random

from wardround.people.agenda import Agenda
from wardround.people.ending import END
from wardround.people.hearing import Demand, Heard, hear
from wardround.people.instruction import read_instruction
from wardround.people.patterns import content_words, pattern
from wardround.people.person import Utterance
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
        heard = hear(said)
        text = self._go_on(heard) if heard.outcome else self._answer(heard)
        return Utterance(text, text == END)

    def _go_on(self, heard: Heard) -> str:
        """After a result: what depends on it, what comes next, the double check or the end."""
        self._patience = PATIENCE
        if heard.outcome:
            self._agenda.settle(heard.outcome)
        return self._next() or self._close()

    def _answer(self, heard: Heard) -> str:
        """After anything but a result."""
        if heard.demand == "detail" and (told := self._tell(heard.question)):
            self._patience = PATIENCE
            return told
        if self._patience == 1:
            return self._lose_patience()
        self._patience -= 1
        return self._put_off(heard.demand, heard.question)

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
            manner = self._agenda.take_manner()
            return self._raise(manner, "request") if manner else None
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
        if self._checked:
            return END
        self._checked = True
        return self._wording.say("check")

    def _lose_patience(self) -> str:
        """The agent gets nowhere: whatever is left is still raised, then the talk ends."""
        self._agenda.abandon()
        if told := self._next():
            self._patience = PATIENCE
            return told
        return self._close()

    def _put_off(self, demand: Demand | None, question: str) -> str:
        match demand:
            case "schema" | "work" | "finish":
                return self._wording.say(demand)
            case "detail":
                return self._confirm(question)
            case None:
                return self._wording.say("nudge")

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
