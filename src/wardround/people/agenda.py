"""What a scripted user still has to say, and in which order it may be said."""

from itertools import takewhile
from random import Random

from wardround.people.hearing import Outcome
from wardround.people.instruction import Instruction, Junction, Piece, Step, Stop
from wardround.people.patterns import content_words


class Agenda:
    """The pieces of an instruction that are still ahead.

    Without junctions the pieces after the first may come in any order that keeps each sentence
    behind the one it refers back to; with junctions they come as they were written.
    """

    def __init__(self, instruction: Instruction, random: Random) -> None:
        self._ahead = list(instruction.script)
        self._manners = list(instruction.manners)
        self._withheld = instruction.withheld
        self._waiting: list[Piece] = []
        # The last junction that had no branch for what was found: should the agent come to
        # another result before anything else is asked, that branch is still taken.
        self._crossed: Junction | None = None
        if self._is_free():
            first, *rest = _groups(self._ahead)
            random.shuffle(rest)
            self._ahead = [step for group in (first, *rest) for step in group]

    def settle(self, outcome: Outcome) -> None:
        """Takes the branch that what the agent found leads to."""
        self._hold_back()
        if self._ahead and isinstance(junction := self._ahead[0], Junction):
            self._crossed = junction
            del self._ahead[0]
        if self._crossed and (branch := self._crossed.after(outcome)):
            self._ahead[:0] = branch
            self._crossed = None

    def abandon(self) -> None:
        """Passes over a junction when no report comes: nothing that hangs on it is said."""
        if self._ahead and isinstance(self._ahead[0], Junction):
            del self._ahead[0]

    def release(self, said: str) -> None:
        """Lets out what was withheld, once the agent has named it."""
        if self._withheld & content_words(said):
            self._withheld = frozenset()
            self._ahead[:0] = self._waiting
            self._waiting = []

    def take(self, question: str = "") -> Piece | None:
        """The piece to say now: the one a question is about if order allows, else the first."""
        self._hold_back()
        if self._ahead and isinstance(self._ahead[0], Stop):
            self._ahead, self._manners, self._waiting = [], [], []
        if not self._ahead or not isinstance(self._ahead[0], Piece):
            return None
        if question and self._is_free():
            self._ahead = _brought_forward(self._ahead, question)
        self._crossed = None
        taken = self._ahead.pop(0)
        return taken if isinstance(taken, Piece) else None

    def take_follower(self) -> Piece | None:
        """The next piece, if it belongs right behind the one that was just taken."""
        step = self._ahead[0] if self._ahead else None
        if isinstance(step, Piece) and step.follows and not self._names_withheld(step):
            return self.take()
        return None

    def take_manner(self) -> str | None:
        """How the answer should look: the next word on it, if any is left."""
        return self._manners.pop(0) if self._manners else None

    def _is_free(self) -> bool:
        return bool(self._ahead) and all(isinstance(step, Piece) for step in self._ahead)

    def _hold_back(self) -> None:
        leading = list(takewhile(lambda step: isinstance(step, Piece), self._ahead))
        held = [s for s in leading if isinstance(s, Piece) and self._names_withheld(s)]
        self._waiting += held
        self._ahead = [s for s in leading if s not in held] + self._ahead[len(leading) :]

    def _names_withheld(self, piece: Piece) -> bool:
        return bool(self._withheld & content_words(piece.text))


def _groups(steps: list[Step]) -> list[list[Step]]:
    """Pieces with those that refer back to them."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and isinstance(step, Piece) and step.follows:
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _brought_forward(steps: list[Step], question: str) -> list[Step]:
    """The steps with the group that a question is about put first."""
    asked = content_words(question)
    groups = _groups(steps)
    best = max(groups, key=lambda group: _overlap(group[0], asked))
    groups.remove(best)
    return [step for group in (best, *groups) for step in group]


def _overlap(step: Step, asked: frozenset[str]) -> int:
    return len(content_words(step.text) & asked) if isinstance(step, Piece) else 0
