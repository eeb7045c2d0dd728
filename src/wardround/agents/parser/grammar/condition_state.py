"""The state of reading the conditions of a question from left to right."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from wardround.agents.parser.grammar.tagger import Item
from wardround.ehr.query import Condition
from wardround.ehr.records import Role


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition with the words that it is read from.

    Attributes:
        condition: What is read; its kind may also be "age", "length", "hospital" or "time".
        order: "after" or "before" of an event that the one before it is placed by; "" otherwise.
        first, last: Range of the question's words.
    """

    condition: Condition
    order: Literal["", "after", "before"] = ""
    first: int = 0
    last: int = 0

    @property
    def kind(self) -> str:
        """The kind of record of the condition."""
        return self.condition.kind

    def changed(self, **changes: Any) -> "Clause":
        """The clause with parts of its condition changed."""
        return replace(self, condition=replace(self.condition, **changes))


class NotUnderstoodError(Exception):
    """Words that no part of a query uses.

    Attributes:
        items: The items of the words.
    """

    def __init__(self, *items: Item) -> None:
        super().__init__("not understood")
        self.items = items


class NotRecordedError(NotUnderstoodError):
    """Something that the records of the database do not hold.

    Attributes:
        role: The kind of record; with its column where they only lack that.
    """

    def __init__(self, role: Role, *items: Item) -> None:
        super().__init__(*items)
        self.role = role


@dataclass
class ConditionState:
    """The conditions read so far, and the words still open.

    Attributes:
        items: The tagged question.
        used: The numbers of the items that state the goal.
        of: The kind of record that is asked for.
        clauses: The conditions.
        verb: The last verb.
        open_verb: The item of a verb whose object is still to come.
        negation: A negation whose condition is still to come.
        sequence: A word such as "after" whose event is still to come.
        link: "or", "and" or "comma" before the next condition.
    """

    items: Sequence[Item]
    used: set[int]
    of: str = ""
    clauses: list[Clause] = field(default_factory=list)
    verb: str = ""
    open_verb: Item | None = None
    negation: Item | None = None
    sequence: Item | None = None
    link: str = ""

    def negate(self, item: Item) -> None:
        """Begin a negation; two in a row are one only as "don't"."""
        if self.negation and self.negation.last < item.first - 1:
            raise NotUnderstoodError(self.negation)
        self.negation = item

    def place_in_time(self, item: Item) -> None:
        """Begin a sequence: the next event is before or after the last one."""
        if self.sequence or self.negation or self.link or self.open_verb:
            raise NotUnderstoodError(item)
        self.sequence, self.verb = item, ""

    def add(self, condition: Condition, item: Item) -> None:
        """Add a condition, negated or as an alternative where the words before it say so."""
        if self.link == "or" and not self._may_be_either(condition):
            raise NotUnderstoodError(self._item_before_position(item.first, "link"))
        if self.link == "or" and self.clauses and not self.sequence:
            before = self.clauses[-1]
            values = (*before.condition.values, *condition.values)
            self.clauses[-1] = before.changed(values=values)
            self.link = ""
            return
        is_negated = self.negation is not None
        self.negation, self.link = None, ""
        order = _order(self.sequence)
        first = self.sequence.first if self.sequence else item.first
        self.sequence = None
        stated = replace(condition, is_negated=is_negated)
        self.clauses.append(Clause(stated, order, first, item.last))

    def _may_be_either(self, condition: Condition) -> bool:
        before = self.clauses[-1] if self.clauses else None
        return bool(before and before.kind == condition.kind != "sex" and condition.values)

    def item_before(self, at: int, kind: str) -> Item:
        """The last item of a kind before a position."""
        return next(
            (item for item in reversed(self.items[:at]) if item.means(kind)), self.items[at]
        )

    def _item_before_position(self, position: int, kind: str) -> Item:
        before = [item for item in self.items if item.first < position and item.means(kind)]
        return before[-1] if before else self.items[0]

    def last_in_sentence(self, item: Item) -> Clause | None:
        """The last condition, if it is of the sentence of an item."""
        last = self.clauses[-1] if self.clauses else None
        earlier = (each for each in self.items if last and each.first < last.last <= each.last)
        return last if any(each.sentence == item.sentence for each in earlier) else None

    def next_item(self, at: int) -> int | None:
        """The next item that is more than a function word."""
        for n in range(at, min(at + 3, len(self.items))):
            item = self.items[n]
            if not item.is_harmless or item.number is not None or item.means("unit"):
                return n
        return None

    def has_number(self, at: int) -> bool:
        """True for a number in digits or letters, or a count such as "twice"."""
        item = self.items[at]
        return item.number is not None or item.means("quantity", "1", "2")

    def number_of(self, at: int) -> float:
        """The number of an item."""
        item = self.items[at]
        return item.number if item.number is not None else float(item.meaning("quantity"))

    def number_after(self, at: int) -> int | None:
        """The next item if it has a number."""
        after = self.next_item(at + 1)
        return after if after is not None and self.has_number(after) else None

    def is_unit(self, at: int | None, name: str) -> bool:
        """True if an item is a unit, such as "years"."""
        return at is not None and self.items[at].means("unit", name)


def _order(sequence: Item | None) -> Literal["", "after", "before"]:
    if sequence is None:
        return ""
    return "after" if sequence.meaning("sequence") == "after" else "before"
