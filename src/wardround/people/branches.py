"""Builds the steps of a script, with the branches that conditions on reports open."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wardround.people.instruction import Junction, Piece, Step, Stop
from wardround.people.patterns import content_words, packaged, pattern
from wardround.people.reply_classifier import Outcome
from wardround.people.sentences import restore


@dataclass(slots=True)
class _Fork:
    """A junction that is being read: the condition that came first, and the branches."""

    condition: str
    branches: dict[Outcome, list["Piece | Stop | _Fork"]]

    def lacks(self, outcome: Outcome) -> bool:
        return outcome not in self.branches

    def frozen(self) -> Junction:
        matched, nothing = self.branches.get("found", []), self.branches.get("nothing", [])
        return Junction(_frozen(matched), _frozen(nothing))


@dataclass(slots=True)
class ScriptBuilder:
    """Steps in the order in which they are read.

    `path` leads from the outermost fork to the one whose branch was read last; a fork that
    follows on a branch belongs to that branch.
    """

    root: list["Piece | Stop | _Fork"] = field(default_factory=list)
    path: list[tuple[_Fork, Outcome]] = field(default_factory=list)

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps that were added."""
        return _frozen(self.root)

    @property
    def unconditional(self) -> list[Piece]:
        """The pieces that are said whatever the agent finds."""
        return [step for step in self.root if isinstance(step, Piece)]

    def say(self, piece: Piece) -> None:
        """Adds a piece to be said whatever the agent finds, and ends the branching."""
        self.path.clear()
        self.root.append(piece)

    def say_in_branch(self, piece: Piece) -> None:
        """Adds a piece to the branch that was read last."""
        self._innermost().append(piece)

    def take_back(self, text: str) -> None:
        """Removes the last piece if it has this text."""
        last = self.root[-1] if self.root else None
        if isinstance(last, Piece) and last.text == text:
            self.root.pop()

    def is_want_after_interest(self, text: str) -> bool:
        """True for what is wanted right after "I'm interested in …"."""
        last = self.root[-1] if self.root else None
        return isinstance(last, Piece) and last.text.startswith("I'm ") and text.startswith("I ")

    def branch(self, condition: str, outcome: Outcome, steps: Iterable[Piece | Stop]) -> None:
        """Adds steps for an outcome to the fork that lacks them, or to a new one."""
        fork = self._partner(condition, outcome)
        if fork is None:
            fork = _Fork(condition, {})
            self._innermost().append(fork)
        self.path.append((fork, outcome))
        fork.branches[outcome] = list(steps)

    def branch_otherwise(self, steps: Iterable[Piece | Stop]) -> None:
        """Adds steps for the outcome opposite to the one that was read last."""
        fork, last = self.path[-1]
        self.branch(fork.condition, opposite(last), steps)

    def _partner(self, condition: str, outcome: Outcome) -> _Fork | None:
        """The nearest fork whose other branch this is; the path is cut back to it."""
        for depth in range(len(self.path) - 1, -1, -1):
            fork = self.path[depth][0]
            if fork.lacks(outcome) and _same_matter(condition, fork.condition):
                del self.path[depth:]
                return fork
        return self._fork_of_request(condition, outcome)

    def _fork_of_request(self, condition: str, outcome: Outcome) -> _Fork | None:
        """The outermost fork if a condition names what was requested before it."""
        if not self.path or not self.path[0][0].lacks(outcome):
            return None
        words = _about(condition) - generic_words()
        if not words & _words(self.unconditional) or words & _words(self._innermost()):
            return None
        fork = self.path[0][0]
        self.path.clear()
        return fork

    def _innermost(self) -> list["Piece | Stop | _Fork"]:
        if not self.path:
            return self.root
        fork, outcome = self.path[-1]
        return fork.branches[outcome]


def opposite(outcome: Outcome) -> Outcome:
    """Returns the other outcome."""
    return "nothing" if outcome == "found" else "found"


def generic_words() -> frozenset[str]:
    """Returns words that a condition shares with any other."""
    return frozenset(packaged("grammar")["generic"])


def _frozen(steps: "list[Piece | Stop | _Fork]") -> tuple[Step, ...]:
    return tuple(step.frozen() if isinstance(step, _Fork) else step for step in steps)


def _words(steps: "Sequence[Piece | Stop | _Fork]") -> frozenset[str]:
    return content_words(" ".join(step.text for step in steps if isinstance(step, Piece)))


def _same_matter(condition: str, earlier: str) -> bool:
    """True if two conditions are about the same thing.

    One that names nothing of its own ("if any records are found") is, unless it points at what
    was said last ("if such drugs are found") and the earlier one does not point there too.
    """
    about, before = _about(condition), _about(earlier)
    if about - generic_words() and before - generic_words():
        return bool(about & before - generic_words())
    pointers = pattern("grammar", "points_at_the_last").findall(condition.lower())
    pointed = pattern("grammar", "points_at_the_last").findall(earlier.lower())
    return not pointers or (pointers == pointed and about <= before)


def _about(condition: str) -> frozenset[str]:
    """The words of a condition but for those that tell its outcome."""
    for name in ("nothing", "found"):
        condition = pattern("grammar", name).sub(" ", condition)
    return content_words(restore(condition))
