"""Reads the conditions of a question from left to right, and names each word that fits none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from wardround.agents.parser.grammar.query import Bound, Condition
from wardround.agents.parser.grammar.records import Role
from wardround.agents.parser.grammar.tagger import Item

# The kinds of record that a verb is about.
VERBS: Mapping[str, tuple[str, ...]] = {
    "given": ("drug", "procedure", "intake"),
    "drug": ("drug",),
    "drug-on": ("drug",),
    "diagnosis": ("diagnosis",),
    "procedure": ("procedure",),
    "lab": ("lab", "vital"),
    "culture": ("culture",),
    "allergy": ("allergy",),
    "stayed": ("unit",),
    "with": ("diagnosis", "procedure", "lab", "vital", "culture", "allergy"),
}
# Where no verb tells, the first of these that has the name.
PREFERRED = ("person", "admission", "unit", "diagnosis", "procedure", "drug", "lab", "vital")

_ATTRIBUTES = frozenset({"person", "admission", "unit"})
_WEAK = ("", "with", "drug-on")

_ADMISSION_TIMES = ("admitted", "discharged")


class NotUnderstoodError(Exception):
    """Words that no part of a query uses.

    Attributes:
        items: The items of the words.
    """

    def __init__(self, *items: Item) -> None:
        super().__init__("not understood")
        self.items = items


@dataclass
class ConditionReader:
    """Reads conditions; raises NotUnderstoodError for a word that fits nowhere.

    Args:
        items: The tagged question.
        used: The numbers of the items that state the goal.
        of: The kind of record that is asked for.
    """

    items: Sequence[Item]
    used: set[int]
    of: str = ""
    found: list[Condition] = field(default_factory=list)
    _verb: str = ""
    _negation: Item | None = None
    _link: str = ""
    _open_verb: Item | None = None

    def read(self) -> list[Condition]:
        """The conditions of the question."""
        at = 0
        while at < len(self.items):
            at = at + 1 if at in self.used and not self._is_sex(at) else self._step(at)
        if left := [item for item in (self._negation, self._open_verb) if item]:
            raise NotUnderstoodError(*left)
        return self.found

    def _is_sex(self, at: int) -> bool:
        return self.items[at].means("sex")

    def _step(self, at: int) -> int:
        """Read the item at a position; return the next position."""
        item = self.items[at]
        if item.time:
            self._add_time(item)
        elif item.means("aging"):
            return self._limit(at, "aging")
        elif item.means("event", "died"):
            self._event(item)
        elif item.means("compare") and not (item.is_harmless and not self._number_after(at)):
            return self._limit(at)
        elif item.values:
            return self._value(at)
        elif item.number is not None:
            return self._number(at)
        elif item.means("negation"):
            self._negate(item)
        elif item.means("link"):
            self._link = item.meaning("link")
        elif item.means("quantity"):
            self._count(item, at)
        elif item.means("sex"):
            self._add(Condition("sex", ((Role("person", "sex"), (item.meaning("sex"),)),)), item)
        elif item.means("event"):
            self._event(item)
        elif item.means("verb"):
            self._begin_verb(item, at)
        elif item.means("noun"):
            self._noun(at)
        elif item.means("unit", "years") and self._number_after_limit(at) is not None:
            return self._aged(at)
        elif item.means("attribute") and self._introduces(at):
            pass
        elif not item.is_harmless:
            raise NotUnderstoodError(item)
        return at + 1

    # Values and nouns.

    def _value(self, at: int) -> int:
        item = self.items[at]
        kinds = {role.kind for role in item.values}
        wanted = VERBS.get(self._verb, ())
        hint = self._noun_beside(at)
        chosen = [hint] if hint in kinds else [kind for kind in wanted if kind in kinds]
        if not chosen and self._verb not in _WEAK and not kinds & _ATTRIBUTES:
            raise NotUnderstoodError(item)
        chosen = chosen or [kind for kind in PREFERRED if kind in kinds] or sorted(kinds)
        if chosen[0] not in _ATTRIBUTES or chosen[0] == "unit":
            self._open_verb = None
        values = tuple((r, texts) for r, texts in item.values.items() if r.kind == chosen[0])
        kind = "patient" if chosen[0] == "person" else chosen[0]
        before = self.found[-1] if self.found else None
        if self._link == "comma":
            self._link = "or" if self._ends_with_or(at) else "and"
        is_list = bool(before) and before.kind == kind
        if is_list and self._link == "or" and before:
            same = _column(before) == values[0][0].column
            if same and self._negation is None:
                merged = (*before.values, *values)
                self.found[-1] = replace(before, values=merged, last=item.last)
                self._link = ""
                return at + 1
        if self._link == "or":
            raise NotUnderstoodError(self._item_before(at, "link"))
        is_negated = self._link == "and" and before is not None and before.is_negated
        if is_negated and before and before.kind == kind and self._negation is None:
            raise NotUnderstoodError(self._item_before(at, "link"))
        self._add(Condition(kind, values), item)
        return at + 1

    def _ends_with_or(self, at: int) -> bool:
        """True if the list of values that goes on here ends with "or"."""
        links = [one.meaning("link") for one in self.items[at:] if one.means("link")]
        return "or" in links and "and" not in links[: links.index("or")]

    def _noun_beside(self, at: int) -> str:
        """The kind of record of a noun right before or after a value."""
        after = self.items[at + 1] if at + 1 < len(self.items) else None
        if after and after.means("noun"):
            return after.meaning("noun")
        for before in reversed(self.items[:at]):
            if before.means("noun"):
                return before.meaning("noun")
            if not before.is_harmless:
                break
        return ""

    def _noun(self, at: int) -> None:
        item = self.items[at]
        noun = item.meaning("noun")
        if noun == "patient":
            return
        beside = [self.items[n] for n in (at - 1, at + 1, at + 2) if 0 <= n < len(self.items)]
        if any(role.kind == noun for one in beside for role in one.values):
            return
        if noun == "lab" and any(r.kind == "vital" for one in beside for r in one.values):
            return
        if self._negation and noun not in ("patient", "admission"):
            self._open_verb = None
            self._add(Condition(noun), item)
            return
        is_stay = noun == "admission" and any(c.kind == "admission" for c in self.found)
        if is_stay or (noun == "admission" and self._follows_stay_words(at)):
            return
        raise NotUnderstoodError(item)

    def _follows_stay_words(self, at: int) -> bool:
        after = self.items[at + 1] if at + 1 < len(self.items) else None
        return after is not None and any(role.kind == "admission" for role in after.values)

    def _begin_verb(self, item: Item, at: int) -> None:
        if self._open_verb:
            raise NotUnderstoodError(self._open_verb)
        self._verb = item.meaning("verb")
        kinds = VERBS[self._verb]
        is_behind = self.of in kinds or (bool(self.found) and self.found[-1].kind in kinds)
        if self._verb not in _WEAK and not is_behind:
            self._open_verb = item
        self._any_record(at)

    def _any_record(self, at: int) -> None:
        """A verb with a bare noun: "underwent any procedure"."""
        for n in range(at + 1, len(self.items)):
            item = self.items[n]
            if item.means("noun") and n not in self.used:
                kind = item.meaning("noun")
                after = self.items[n + 1 : n + 2]
                is_bare = not any(one.values for one in after)
                if kind in VERBS.get(self._verb, ()) and is_bare:
                    self.used.add(n)
                    self._open_verb = None
                    self._add(Condition(kind), item)
                return
            if not item.is_harmless or item.values:
                return

    def _introduces(self, at: int) -> bool:
        """True if an attribute's noun stands beside a value of that attribute."""
        column = self.items[at].meaning("attribute")
        near = self.items[max(at - 2, 0) : at + 4]
        return any(role.column == column for one in near for role in one.values)

    def _event(self, item: Item) -> None:
        meaning = item.meaning("event")
        if meaning == "died_inside":
            role = Role("admission", "destination")
            self._add(Condition("admission", ((role, ("<deaths>",)),)), item)
        elif meaning == "died":
            self._add(Condition("death"), item)
        elif meaning == "readmitted":
            self._add(Condition("admission", count=Bound(">", 1)), item)
        elif meaning in _ADMISSION_TIMES:
            column = "time" if meaning == "admitted" else "finish"
            self._add(Condition("admission", ((Role("admission", column), ()),)), item)
        else:
            self._add(Condition(meaning), item)

    # Negation, times, counts and limits.

    def _negate(self, item: Item) -> None:
        if self._negation and self._negation.last < item.first - 1:
            raise NotUnderstoodError(self._negation)
        self._negation = item

    def _add(self, condition: Condition, item: Item) -> None:
        if self._link == "or" and not self._may_be_either(condition):
            raise NotUnderstoodError(self._item_before_position(item.first, "link"))
        if self._link == "or" and self.found:
            before = self.found[-1]
            self.found[-1] = replace(before, values=(*before.values, *condition.values))
            self._link = ""
            return
        is_negated = self._negation is not None
        self._negation, self._link = None, ""
        placed = replace(condition, is_negated=is_negated, first=item.first, last=item.last)
        self.found.append(placed)

    def _may_be_either(self, condition: Condition) -> bool:
        before = self.found[-1] if self.found else None
        return bool(before and before.kind == condition.kind and condition.values)

    def _add_time(self, item: Item) -> None:
        times = (item.time,) if item.time else ()
        self.found.append(Condition("time", times=times, first=item.first, last=item.last))

    def _number_after_limit(self, at: int) -> int | None:
        after = self._skipped(at + 1)
        if after is not None and (
            self.items[after].means("compare") or self.items[after].means("aging")
        ):
            after = self._skipped(after + 1)
        return after if after is not None and self._has_number(after) else None

    def _aged(self, at: int) -> int:
        """An age behind its noun: "aged 65", "aged 65 or older", "aged over 65"."""
        next_item = self._skipped(at + 1) or at
        if self.items[next_item].means("compare") or self.items[next_item].means("aging"):
            return next_item
        after = self._skipped(next_item + 1)
        if after is not None and _is_after(self.items[after]):
            return next_item
        bound = Bound("=", self._value_of(next_item))
        self._add(Condition("age", bounds=(bound,)), self.items[next_item])
        return next_item + 1

    def _number(self, at: int) -> int:
        item = self.items[at]
        after = self._skipped(at + 1)
        if after is not None and _is_after(self.items[after]):
            operator = ">=" if _is_after(self.items[after], "after-more") else "<="
            return self._bounded(at, after + 1, Bound(operator, item.number or 0), at)
        if after is not None and self.items[after].means("unit"):
            return self._bounded(at, at + 1, Bound("=", item.number or 0), at)
        raise NotUnderstoodError(item)

    def _limit(self, at: int, kind: str = "compare") -> int:
        item = self.items[at]
        operator = item.meaning(kind)
        number = self._number_after(at)
        if number is None:
            raise NotUnderstoodError(item)
        low = self._value_of(number)
        if operator == "between":
            second = next(
                (n for n in range(number + 1, len(self.items)) if self._has_number(n)), None
            )
            if second is None or second > number + 2:
                raise NotUnderstoodError(item)
            end = self._bounded(at, second + 1, Bound(">=", low), at)
            last = self.found[-1]
            limits = (*last.bounds, Bound("<=", self._value_of(second)))
            self.found[-1] = replace(last, bounds=limits)
            return end
        return self._bounded(at, number + 1, Bound(operator, low), at)

    def _has_number(self, at: int) -> bool:
        item = self.items[at]
        return item.number is not None or item.means("quantity", "1", "2")

    def _value_of(self, at: int) -> float:
        item = self.items[at]
        return item.number if item.number is not None else float(item.meaning("quantity"))

    def _number_after(self, at: int) -> int | None:
        after = self._skipped(at + 1)
        return after if after is not None and self._has_number(after) else None

    def _skipped(self, at: int) -> int | None:
        """The next item that is more than a function word."""
        for n in range(at, min(at + 3, len(self.items))):
            item = self.items[n]
            if not item.is_harmless or item.number is not None or item.means("unit"):
                return n
        return None

    def _bounded(self, at: int, end: int, bound: Bound, first: int) -> int:
        """Attach a limit: to an age, a count of stays or of the last event, or a test's value."""
        item = self.items[first]
        after = self._skipped(end)
        is_count_word = item.means("quantity") or self.items[end - 1].means("quantity", "1", "2")
        if (after is not None and self.items[after].means("unit", "times")) or is_count_word:
            self._count_last(bound, item)
            return end if is_count_word and not self._is_unit(after, "times") else (after or 0) + 1
        if after is not None and self.items[after].means("noun", "admission", "icu"):
            kind = self.items[after].meaning("noun")
            self._add(Condition(kind, count=bound), item)
            return after + 1
        if after is not None and self.items[after].means("noun") and self._is_countable(after):
            self._open_verb = None
            self._add(Condition(self.items[after].meaning("noun"), count=bound), item)
            return after + 1
        if self._is_unit(after, "days") and self._verb == "stayed":
            self._open_verb = None
            self._add(Condition("length", bounds=(bound,)), item)
            return (after or 0) + 1
        if item.means("aging") or self.items[end - 1].means("aging"):
            self._add(Condition("age", bounds=(bound,)), item)
            return end + 1 if self._is_unit(after, "years") else end
        if self._is_unit(after, "years"):
            self._add(Condition("age", bounds=(bound,)), item)
            return (after or 0) + 1
        if self.found and self.found[-1].kind in ("lab", "vital") and self.found[-1].values:
            last = self.found[-1]
            self.found[-1] = replace(last, bounds=(*last.bounds, bound))
            return end
        if self._is_of_age(at):
            self._add(Condition("age", bounds=(bound,)), item)
            return end
        raise NotUnderstoodError(*self.items[first:end])

    def _is_countable(self, at: int) -> bool:
        """True for a noun of records that no value stands beside."""
        return not any(one.values for one in self.items[at + 1 : at + 2])

    def _is_unit(self, at: int | None, name: str) -> bool:
        return at is not None and self.items[at].means("unit", name)

    def _is_of_age(self, at: int) -> bool:
        """True if a limit follows people or "aged", as in "women over 65"."""
        for before in reversed(self.items[:at]):
            if before.means("noun", "patient") or before.means("sex") or before.means("unit"):
                return True
            if before.means("measure", "age"):
                return True
            if not before.is_harmless and not before.means("negation"):
                return False
        return False

    def _count(self, item: Item, at: int) -> None:
        meaning = item.meaning("quantity")
        bound = Bound(">", 1) if meaning == "many" else Bound("=", float(meaning))
        after = self._skipped(at + 1)
        if after is not None and self.items[after].means("noun", "admission", "icu"):
            self._add(Condition(self.items[after].meaning("noun"), count=bound), item)
            self.used.add(after)
            return
        self._count_last(bound, item)

    def _count_last(self, bound: Bound, item: Item) -> None:
        if not self.found or self.found[-1].count or self.found[-1].is_negated:
            raise NotUnderstoodError(item)
        last = self.found[-1]
        if last.kind in ("sex", "age", "death", "alive", "current", "patient", "time"):
            raise NotUnderstoodError(item)
        self.found[-1] = replace(last, count=bound)

    def _item_before(self, at: int, kind: str) -> Item:
        return next((one for one in reversed(self.items[:at]) if one.means(kind)), self.items[at])

    def _item_before_position(self, position: int, kind: str) -> Item:
        before = [one for one in self.items if one.first < position and one.means(kind)]
        return before[-1] if before else self.items[0]


def _is_after(item: Item, *names: str) -> bool:
    """True for a comparison behind its number, such as "or more"."""
    names = names or ("after-more", "after-less")
    return item.means("compare", *names) or item.means("aging", *names)


def _column(condition: Condition) -> str:
    return condition.values[0][0].column if condition.values else ""
