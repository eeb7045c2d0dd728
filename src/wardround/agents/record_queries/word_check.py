"""Names the words of a question that a query leaves out."""

import re
from collections.abc import Iterator, Sequence

from sqlglot import exp

from wardround.agents.parser.grammar.lexicon import known_words
from wardround.agents.parser.grammar.tagger import Item
from wardround.agents.parser.question_reader import Reading
from wardround.ehr.records import Views

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SAME = {"vital": "lab", "icu": "admission", "treatment": "procedure", "transfer": "admission"}
_NEGATIONS = (exp.Not, exp.NEQ, exp.Except)
_FUNCTIONS: dict[str, tuple[type[exp.Expr], ...]] = {
    "AVG": (exp.Avg,),
    "SUM": (exp.Sum,),
    "MAX": (exp.Max, exp.Order),
    "MIN": (exp.Min, exp.Order),
}
_EVENTS = {
    "died": ("death", "destination"),
    "died_inside": ("death", "destination"),
    "alive": ("death", "destination"),
    "icu": ("icu", "stay"),
    "icu_in": ("icu", "stay"),
    "discharged": ("finish", "admission"),
    "readmitted": ("admission",),
    "current": ("finish",),
}


def words_left_out(
    items: Sequence[Item], reading: Reading, tree: exp.Query, views: Views
) -> Iterator[str]:
    """The words of a question that nothing in a query stands for.

    Function words such as "than" are not looked for.

    Args:
        items: The tagged question.
        reading: The question.
        tree: The query over kinds of record.
        views: The kinds of record.
    """
    query = _Parts(tree)
    for n, item in enumerate(items):
        words = [word.text for word in reading.words[item.first : item.last]]
        if not _is_in(item, n, items, words, query, views):
            yield reading.written(item.first, item.last)


class _Parts:
    """The parts of a query."""

    def __init__(self, tree: exp.Query) -> None:
        self.tree = tree
        literals = list(tree.find_all(exp.Literal))
        self.texts = [each.name.lower() for each in literals if each.is_string]
        self.numbers = {float(each.name) for each in literals if not each.is_string}
        self.numbers |= {float(number) for text in self.texts for number in _NUMBER.findall(text)}
        self.names = {each.name.lower() for each in tree.find_all(exp.Table, exp.Column)}

    def has_text(self, word: str) -> bool:
        """True if a text of the query has a word."""
        return any(word in text for text in self.texts)


def _is_in(
    item: Item, n: int, items: Sequence[Item], words: Sequence[str], query: _Parts, views: Views
) -> bool:
    if item.periods:
        years = [float(word) for word in words if word.isdigit()]
        return all(year in query.numbers for year in years) if years else _has_time(query)
    if item.values:
        return _names_value(item, words, query)
    if item.number is not None and not item.means("quantity"):
        return _has_number(item.number, query)
    if item.is_unknown:
        return all(word in known_words() or query.has_text(word) for word in words)
    if item.means("sex"):
        texts = views.texts("patient", "sex", item.meaning("sex"))
        return any(text.lower() in query.texts for text in texts)
    if item.is_harmless:
        return True
    if item.means("negation"):
        return bool(query.tree.find(*_NEGATIONS)) or 0.0 in query.numbers
    if item.means("sequence"):
        return _compares_times(query)
    if item.means("event"):
        needed = _EVENTS.get(item.meaning("event"), ())
        return not needed or any(name in query.names for name in needed)
    if item.means("aggregate"):
        return bool(query.tree.find(*_FUNCTIONS[item.meaning("aggregate")]))
    if item.means("goal", "share", "ratio"):
        return bool(query.tree.find(exp.Div))
    if item.means("noun"):
        return _is_of_kind(item, items[n + 1 : n + 2], query)
    return True


def _names_value(item: Item, words: Sequence[str], query: _Parts) -> bool:
    recorded = [text.lower() for texts in item.values.values() for text in texts]
    patterns = [text.strip("%").lower() for text in query.texts]
    is_numbered = any(float(word) in query.numbers for word in words if word.isdigit())
    return is_numbered or any(
        pattern and (pattern == text or (len(pattern) > 2 and pattern in text))
        for pattern in patterns
        for text in recorded
    )


def _has_number(number: float, query: _Parts) -> bool:
    """True for a number of the query, or one beside it: "over 65" is also "at least 66"."""
    return any(abs(number - each) <= 1 for each in query.numbers)


def _has_time(query: _Parts) -> bool:
    is_dated = any(re.match(r"\d{4}(-\d\d)?", text) for text in query.texts)
    return is_dated or "current_time" in query.names or bool(query.tree.find(exp.CurrentTime))


def _compares_times(query: _Parts) -> bool:
    comparisons = query.tree.find_all(exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Between)
    return any(len(list(each.find_all(exp.Column))) > 1 for each in comparisons)


def _is_of_kind(item: Item, after: Sequence[Item], query: _Parts) -> bool:
    kind = item.meaning("noun")
    if kind == "patient" or any(each.values for each in after):
        return True
    kinds = {kind, _SAME.get(kind, kind), *(k for k, same in _SAME.items() if same == kind)}
    return any(name in query.names for name in kinds)
