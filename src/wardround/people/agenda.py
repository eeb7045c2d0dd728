"""The agenda of a scripted user: the remaining statements in order."""

import re
from itertools import takewhile
from math import inf
from random import Random

from wardround.people.branches import generic_words
from wardround.people.conditions import asked_about
from wardround.people.instruction import Alternative, Instruction, Junction, Piece, Step, Stop
from wardround.people.patterns import content_words, pattern
from wardround.people.quantity_bounds import NUMBERS, Bounds, quantity_bounds
from wardround.people.reply_classifier import Outcome

_NUMBER = re.compile(rf"(?<![\w.-])(?:\d+(?:\.\d+)?|{'|'.join(NUMBERS)})(?![\w-])", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+")
# Items that are named to be excluded.
_CONTRAST = re.compile(r"\b(?:instead of|rather than)\b.*|\banyway\b")
# Words as close in meaning as this match ("dead" and "died").
_CLOSE = 0.55
# Numbers of years and identifiers are not counts.
_YEARS, _LARGEST = (1900.0, 2200.0), 99_999.0


class Agenda:
    """The steps of an instruction that are left.

    Pieces keep their written order. Without junctions, those after the first are shuffled, but a
    piece that refers back stays behind its predecessor. A question moves the piece it is about to
    the front if no junction depends on that, and unconditional pieces do not wait for a report.
    Answer formats wait until no junction is left.
    """

    def __init__(self, instruction: Instruction, random: Random) -> None:
        self._pending = list(instruction.script)
        self._answer_formats = list(instruction.answer_formats)
        self._alternatives = list(instruction.alternatives)
        self._withheld = instruction.withheld
        self._withheld_pieces: list[Piece] = []
        # The last junction without a branch for the reported outcome. If the agent reports another
        # outcome before anything else is said, its branch is still taken.
        self._skipped_junction: Junction | None = None
        if self._pending and not self._branches():
            first, *rest = _groups(self._pending)
            random.shuffle(rest)
            self._pending = [step for group in (first, *rest) for step in group]

    @property
    def awaits_report(self) -> bool:
        """True if the next step depends on the agent's report."""
        self._withhold()
        return bool(self._pending) and isinstance(self._pending[0], Junction)

    def settle(self, outcome: Outcome) -> None:
        """Takes the branch for the agent's reported outcome."""
        self.abandon()
        if self._skipped_junction and (branch := self._skipped_junction.after(outcome)):
            self._pending[:0] = branch
            self._skipped_junction = None

    def abandon(self) -> None:
        """Skips a junction without a report; a later report may still take a branch."""
        self._withhold()
        if self._pending and isinstance(junction := self._pending[0], Junction):
            self._skipped_junction = junction
            del self._pending[0]

    def release(self, message: str) -> None:
        """Releases withheld pieces once the agent has named them."""
        if self._withheld & content_words(message):
            self._withheld = frozenset()
            self._pending[:0] = self._withheld_pieces
            self._withheld_pieces = []

    def decide(self, report: str) -> None:
        """Takes the alternative that a report states."""
        if not self._alternatives:
            return
        for group in self._alternatives:
            stated = [a for a in group if a.condition and matches_report(a.condition, report)]
            if stated or self._is_left_over(group):
                chosen = max(
                    stated, key=lambda a: closeness(a.condition, report), default=group[-1]
                )
                self._pending[:0] = chosen.steps
                self._alternatives.remove(group)
                return

    def take(self, question: str = "") -> Piece | None:
        """Takes the next piece: the one a question is about if order allows, else the first."""
        self._withhold()
        if self._pending and isinstance(self._pending[0], Stop):
            self._pending, self._answer_formats, self._withheld_pieces = [], [], []
        self._pending = _prioritized(self._pending, content_words(question))
        if not self._pending or not isinstance(piece := self._pending[0], Piece):
            return None
        self._skipped_junction = None
        del self._pending[0]
        return piece

    def take_follower(self) -> Piece | None:
        """Takes the next piece if it refers back to the previous one."""
        step = self._pending[0] if self._pending else None
        if isinstance(step, Piece) and step.follows and not self._names_withheld(step):
            return self.take()
        return None

    def take_answer_format(self) -> str | None:
        """Takes the next answer format; None while a junction is left."""
        return (
            self._answer_formats.pop(0) if self._answer_formats and not self._branches() else None
        )

    def _is_left_over(self, group: tuple[Alternative, ...]) -> bool:
        """True if a group ends with "otherwise" and everything before it has been said."""
        return not group[-1].condition and not self._pending

    def _branches(self) -> bool:
        return any(isinstance(step, Junction) for step in self._pending)

    def _withhold(self) -> None:
        leading = list(takewhile(lambda step: isinstance(step, Piece), self._pending))
        withheld = [s for s in leading if isinstance(s, Piece) and self._names_withheld(s)]
        self._withheld_pieces += withheld
        self._pending = [s for s in leading if s not in withheld] + self._pending[len(leading) :]

    def _names_withheld(self, piece: Piece) -> bool:
        return bool(self._withheld & piece.words)


def _groups(steps: list[Step]) -> list[list[Step]]:
    """Groups each piece with the pieces that refer back to it and its junctions."""
    groups: list[list[Step]] = []
    for step in steps:
        if groups and not (isinstance(step, Piece) and not step.follows):
            groups[-1].append(step)
        else:
            groups.append([step])
    return groups


def _prioritized(steps: list[Step], asked: frozenset[str]) -> list[Step]:
    """Moves the group that best matches the question to the front.

    Groups with a junction stay in place; unconditional groups overtake a leading junction.
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
    """Counts the asked words in the group's pieces before its first junction."""
    pieces = takewhile(lambda step: isinstance(step, Piece), group)
    words = [content_words(step.text) for step in pieces if isinstance(step, Piece)]
    return max((len(words & asked) for words in words), default=0)


def matches_report(condition: str, report: str) -> bool:
    """True if a report states a condition.

    >>> matches_report("there are fewer than 10 such stays", "There were 4 stays in 2102.")
    True
    >>> matches_report("the count exceeds twenty", "The count is 12.")
    False
    """
    bounds = quantity_bounds(condition)
    if bounds and bounds.high:
        stated = quantity_bounds(report)
        if stated and (stated.low or stated.high < inf):
            return not bounds.excludes(stated)
        if counts := _counts(report, bounds, condition):
            return any(map(bounds.contains, counts))
    return _is_negated(condition) == _is_negated(report) and closeness(condition, report) >= _CLOSE


def _counts(report: str, bounds: Bounds, condition: str) -> list[float]:
    """The numbers of what is counted in a report, else all that may be counts."""
    of_noun = []
    for match in _NUMBER.finditer(report):
        behind = _WORD.findall(report[match.end() :])[:2]
        if bounds.noun & {word.removesuffix("s") for word in behind}:
            of_noun.append(_number(match[0]))
    if of_noun:
        return of_noun
    stated = [n for n in _numbers(report) if _is_count(n)]
    # A number of the condition is repeated beside the count, unless it is the count itself.
    return [n for n in stated if n not in _numbers(condition)] or stated


def closeness(condition: str, report: str) -> float:
    """Returns the mean similarity of the condition's own words to those of a report."""
    from wardround.people.similarity import best_similarity

    if pattern("grammar", "speaker").search(condition):
        condition = asked_about(condition)
    named = content_words(_CONTRAST.sub("", condition))
    specific = named - generic_words() or named
    stated = content_words(report)
    return (
        sum(best_similarity(word, stated) for word in specific) / len(specific) if specific else 0.0
    )


def _is_count(number: float) -> bool:
    return number <= _LARGEST and not _YEARS[0] <= number <= _YEARS[1]


def _numbers(text: str) -> list[float]:
    return [_number(written) for written in _NUMBER.findall(text)]


def _number(written: str) -> float:
    lower = written.lower()
    return NUMBERS[lower] if lower in NUMBERS else float(written)


def _is_negated(text: str) -> bool:
    return bool(pattern("grammar", "nothing").search(text))
