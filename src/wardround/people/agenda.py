"""What a scripted user still has to say, and in which order it may be said."""

from itertools import takewhile
from random import Random

from wardround.people.instruction import Instruction, Junction, Piece, Step, Stop
from wardround.people.patterns import content_words
from wardround.people.reply_classifier import Outcome


class Agenda:
    """The pieces of an instruction that are still ahead.

    Pieces come as they were written, and without junctions those after the first in any order
    that keeps each sentence behind the one it refers back to. A question brings forward what it
    is about if nothing hangs on that, and what is said come what may does not wait for a report
    that the agent has not made. How the answer should look waits until no branch is open.
    """

    def __init__(self, instruction: Instruction, random: Random) -> None:
        self._ahead = list(instruction.script)
        self._manners = list(instruction.manners)
        self._withheld = instruction.withheld
        self._waiting: list[Piece] = []
        # The last junction that had no branch for what was found: should the agent come to
        # another result before anything else is asked, that branch is still taken.
        self._crossed: Junction | None = None
        if self._ahead and not self._branches():
            first, *rest = _groups(self._ahead)
            random.shuffle(rest)
            self._ahead = [step for group in (first, *rest) for step in group]

    @property
    def waits(self) -> bool:
        """Whether what comes next hangs on what the agent finds."""
        self._hold_back()
        return bool(self._ahead) and isinstance(self._ahead[0], Junction)

    def settle(self, outcome: Outcome) -> None:
        """Takes the branch that what the agent found leads to."""
        self.abandon()
        if self._crossed and (branch := self._crossed.after(outcome)):
            self._ahead[:0] = branch
            self._crossed = None

    def abandon(self) -> None:
        """Passes over a junction when no report comes; a later one may still take a branch."""
        self._hold_back()
        if self._ahead and isinstance(junction := self._ahead[0], Junction):
            self._crossed = junction
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
        self._ahead = _brought_forward(self._ahead, content_words(question))
        if not self._ahead or not isinstance(taken := self._ahead[0], Piece):
            return None
        self._crossed = None
        del self._ahead[0]
        return taken

    def take_follower(self) -> Piece | None:
        """The next piece, if it belongs right behind the one that was just taken."""
        step = self._ahead[0] if self._ahead else None
        if isinstance(step, Piece) and step.follows and not self._names_withheld(step):
            return self.take()
        return None

    def take_manner(self) -> str | None:
        """How the answer should look: the next word on it, if any is left and may be said."""
        return self._manners.pop(0) if self._manners and not self._branches() else None

    def _branches(self) -> bool:
        return any(isinstance(step, Junction) for step in self._ahead)

    def _hold_back(self) -> None:
        leading = list(takewhile(lambda step: isinstance(step, Piece), self._ahead))
        held = [s for s in leading if isinstance(s, Piece) and self._names_withheld(s)]
        self._waiting += held
        self._ahead = [s for s in leading if s not in held] + self._ahead[len(leading) :]

    def _names_withheld(self, piece: Piece) -> bool:
        return bool(self._withheld & content_words(piece.text))


def _groups(steps: list[Step]) -> list[list[Step]]:
    """Each piece with the pieces that refer back to it and the junctions that hang on it."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and not (isinstance(step, Piece) and not step.follows):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _brought_forward(steps: list[Step], asked: frozenset[str]) -> list[Step]:
    """The steps with the pieces to say now put first: those that tell most of what is asked.

    Nothing may hang on them; and when what comes first hangs on a finding, they are said before.
    """
    groups = _groups(steps)
    movable = [n for n, group in enumerate(groups) if all(isinstance(s, Piece) for s in group)]
    first = [0] if steps and isinstance(steps[0], Piece) else []
    best = max([*first, *movable], key=lambda n: _overlap(groups[n], asked), default=None)
    if best is None:
        return steps
    chosen = groups.pop(best)
    return [step for group in (chosen, *groups) for step in group]


def _overlap(group: list[Step], asked: frozenset[str]) -> int:
    """How much of what is asked the group's pieces tell before anything hangs on a finding."""
    pieces = takewhile(lambda step: isinstance(step, Piece), group)
    told = [content_words(step.text) for step in pieces if isinstance(step, Piece)]
    return max((len(words & asked) for words in told), default=0)
