"""Parses an instruction into a broad goal and steps."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from wardround.people.patterns import content_words, packaged, pattern
from wardround.people.reply_classifier import Outcome
from wardround.people.sentences import first_person, parts, restore

# The patterns of conditions, in matching order.
_CONDITIONS = ("unless", "condition", "condition_loose", "condition_last", "unless_last")


@dataclass(frozen=True, slots=True)
class Piece:
    """A sentence to say, in the first person.

    Attributes:
        text: the sentence.
        follows: True if it refers back to the step before it.
        depends: True if it is said because of the agent's report.
        condition: the condition on what was found, of which the piece speaks without naming it.
    """

    text: str
    follows: bool = False
    depends: bool = False
    condition: str = ""

    @property
    def words(self) -> frozenset[str]:
        """The content words of the sentence and of its condition."""
        return content_words(f"{self.text} {self.condition}")


@dataclass(frozen=True, slots=True)
class Stop:
    """Ends the conversation."""


@dataclass(frozen=True, slots=True)
class Junction:
    """A branch on the agent's reported outcome; an empty branch changes nothing."""

    found: tuple["Step", ...] = ()
    nothing: tuple["Step", ...] = ()

    def after(self, outcome: Outcome) -> tuple["Step", ...]:
        """Returns the branch for an outcome."""
        return self.found if outcome == "found" else self.nothing


Step: TypeAlias = Piece | Junction | Stop


@dataclass(frozen=True, slots=True)
class Answer:
    """Information to give only when the agent asks for it."""

    cue: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Instruction:
    """A parsed instruction.

    Attributes:
        goal: the broad goal, a phrase to follow "I want to"; empty if there is none.
        script: the steps, in order.
        answer_formats: how the answer should look.
        answers: information to give when asked.
        withheld: words not to be said before the agent says any of them.
    """

    goal: str = ""
    script: tuple[Step, ...] = ()
    answer_formats: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    withheld: frozenset[str] = frozenset()


def read_instruction(text: str) -> Instruction:
    """Parses an instruction; a sentence of no known kind becomes a piece as it stands.

    >>> read_instruction(
    ...     "Your goal is to look into heart drugs. You want to know how many patients got "
    ...     "Lopressor. If no patients are found, you want the count for its generic name."
    ... ).script[1].nothing[0].text
    'I want the count for its generic name.'
    """
    reading = _Reading()
    for part in parts(text):
        reading.take(part)
    return reading.result()


@dataclass(slots=True)
class _Fork:
    """A junction that is being read: the condition that came first, and the branches."""

    condition: str
    branches: dict[Outcome, list["Piece | Stop | _Fork"]]

    def lacks(self, outcome: Outcome) -> bool:
        return outcome not in self.branches

    def frozen(self) -> Junction:
        found, nothing = self.branches.get("found", []), self.branches.get("nothing", [])
        return Junction(_frozen(found), _frozen(nothing))


@dataclass(slots=True)
class _Reading:
    """Parser state of an instruction.

    `path` leads from the outermost fork to the one whose branch was read last; a fork that
    follows on a branch belongs to that branch.
    """

    goal: str = ""
    root: list["Piece | Stop | _Fork"] = field(default_factory=list)
    path: list[tuple[_Fork, Outcome]] = field(default_factory=list)
    answer_formats: list[str] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    withheld: frozenset[str] = frozenset()

    def take(self, part: str) -> None:
        """Places one part; whatever is of no other kind is something to want."""
        if goal := pattern("grammar", "goal").search(part):
            self._aim(part[goal.end() :])
        elif asked := _asked(part):
            self._keep_for_question(asked)
        elif named := _guarded(part):
            self.withheld |= _withheld(named)
        elif pattern("grammar", "aside").search(part):
            return
        elif pattern("grammar", "manner").search(part):
            self.answer_formats.append(first_person(part))
        else:
            self._want(part)

    def result(self) -> Instruction:
        """All that was read."""
        withheld = self.withheld - content_words(self.goal) - _generic()
        return Instruction(
            self.goal, _frozen(self.root), tuple(self.answer_formats), tuple(self.answers), withheld
        )

    def _aim(self, text: str) -> None:
        """The broad goal; a second one is something to want."""
        if self.goal:
            return self._want(f"you want to {text}")
        goal = first_person(text).rstrip(".")
        self.goal = goal[:1].lower() + goal[1:]
        return None

    def _keep_for_question(self, asked: re.Match[str]) -> None:
        answer = Answer(content_words(restore(asked["cue"])), first_person(asked["answer"]))
        if not pattern("grammar", "aside").search(asked["answer"]):
            self.answers.append(answer)

    def _want(self, part: str) -> None:
        otherwise = pattern("grammar", "otherwise").search(part)
        if otherwise and self.path:
            fork, last = self.path[-1]
            return self._branch(fork.condition, _opposite(last), otherwise["body"])
        for name in _CONDITIONS:
            if not (match := pattern("grammar", name).search(part)):
                continue
            if pattern("grammar", "aside").search(match["body"]):
                return None
            if outcome := _outcome(match["condition"]):
                wanted = _opposite(outcome) if name.startswith("unless") else outcome
                return self._branch(match["condition"], wanted, match["body"])
        return self._say(part)

    def _say(self, part: str) -> None:
        """Something to be said whatever the agent finds, unless it speaks of a branch's finding."""
        text = first_person(part)
        if self.path and pattern("grammar", "of_the_branch").search(part):
            self._innermost().append(Piece(text, follows=True, depends=True))
            return
        self.path.clear()
        follows = bool(pattern("grammar", "refers_back").search(part))
        self.root.append(Piece(text, follows or _is_want_after_interest(text, self.root)))

    def _branch(self, condition: str, outcome: Outcome, body: str) -> None:
        fork = self._partner(condition, outcome)
        if fork is None:
            fork = _Fork(condition, {})
            self._innermost().append(fork)
        self.path.append((fork, outcome))
        found = restore(condition) if outcome == "found" else ""
        fork.branches[outcome] = list(_steps(body, found))

    def _partner(self, condition: str, outcome: Outcome) -> _Fork | None:
        """The nearest fork whose other branch this is; the path is cut back to it."""
        for depth in range(len(self.path) - 1, -1, -1):
            fork = self.path[depth][0]
            if fork.lacks(outcome) and _same_matter(condition, fork.condition):
                del self.path[depth:]
                return fork
        return None

    def _innermost(self) -> list["Piece | Stop | _Fork"]:
        if not self.path:
            return self.root
        fork, outcome = self.path[-1]
        return fork.branches[outcome]


def _frozen(steps: "list[Piece | Stop | _Fork]") -> tuple[Step, ...]:
    return tuple(step.frozen() if isinstance(step, _Fork) else step for step in steps)


def _steps(body: str, condition: str) -> Iterator[Piece | Stop]:
    end = pattern("grammar", "end").search(body)
    text = body[: end.start()] if end else body
    if text.strip(" ,"):
        yield Piece(first_person(text), depends=True, condition=condition)
    if end:
        yield Stop()


def _outcome(condition: str) -> Outcome | None:
    """Returns the outcome that a condition requires; None if it is not about a report."""
    if pattern("grammar", "standing").search(condition):
        return None
    if pattern("grammar", "nothing").search(condition):
        return "nothing"
    return "found" if pattern("grammar", "found").search(condition) else None


def _opposite(outcome: Outcome) -> Outcome:
    return "nothing" if outcome == "found" else "found"


def _same_matter(condition: str, earlier: str) -> bool:
    """True if two conditions are about the same thing.

    One that names nothing of its own ("if any records are found") is, unless it points at what
    was said last ("if such drugs are found") and the earlier one does not point there too.
    """
    about, before = _about(condition), _about(earlier)
    if about - _generic() and before - _generic():
        return bool(about & before - _generic())
    pointers = pattern("grammar", "points_at_the_last").findall(condition.lower())
    pointed = pattern("grammar", "points_at_the_last").findall(earlier.lower())
    return not pointers or (pointers == pointed and about <= before)


def _about(condition: str) -> frozenset[str]:
    """The words of a condition but for those that tell its outcome."""
    for name in ("nothing", "found"):
        condition = pattern("grammar", name).sub(" ", condition)
    return content_words(restore(condition))


def _generic() -> frozenset[str]:
    return frozenset(packaged("grammar")["generic"])


def _guarded(part: str) -> str:
    """Returns the text of a guard that names what is withheld; empty for any other part."""
    if guard := pattern("grammar", "guard_for_agent").search(part):
        return guard["named"]
    if guard := pattern("grammar", "guard").search(part):
        return pattern("grammar", "guard_until").sub("", part[guard.end() :])
    return ""


def _asked(part: str) -> re.Match[str] | None:
    """Matches an answer to a question of the agent, with the cue before or after it, or none."""
    forms = ("asked", "asked_last", "asked_unless")
    return next(filter(None, (pattern("grammar", form).search(part) for form in forms)), None)


def _withheld(named: str) -> frozenset[str]:
    """Returns the quoted words of a guard's text, or else all its words."""
    text = restore(named)
    quoted = re.findall(r"[\"“']([^\"”']+)[\"”']", text)
    return content_words(" ".join(quoted) or text)


def _is_want_after_interest(text: str, before: "list[Piece | Stop | _Fork]") -> bool:
    last = before[-1] if before else None
    return isinstance(last, Piece) and last.text.startswith("I'm ") and text.startswith("I ")
