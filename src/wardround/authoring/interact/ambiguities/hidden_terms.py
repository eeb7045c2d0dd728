"""The terms that an ambiguity hides, and those of them that a request gives away."""

import re

from wardround.people.clarifying.secret import Ambiguity
from wardround.scoring.numerals import LARGEST, in_words

_PART = re.compile(r"'((?:[^']|'')*)'|([A-Za-z_]\w*)|(?<![\w.])(\d+(?:\.\d+)?)(?!\w|\.\d)")
# Smaller numbers stand in requests for other things too.
_TELLING = 2


def given_away(one: Ambiguity, request: str) -> tuple[str, ...]:
    """The hidden terms of an ambiguity, if a request says all of them; else none.

    A request that says another reading's part as well leaves open which of the two is meant.

    >>> old = Ambiguity("old", "semantic", ("age >= 65",), otherwise=("age >= 80",))
    >>> given_away(old, "Those of 65 or more."), given_away(old, "The old ones, not those of 6.")
    (('65',), ())
    """
    meant = dict.fromkeys(parts(one.fragments[0]) if one.fragments else ())
    others = dict.fromkeys(part for reading in one.otherwise for part in parts(reading))
    hidden = tuple(part for part in meant if part not in others)
    open_choice = any(says(request, part) for part in others if part not in meant)
    told = all(says(request, part) for part in hidden)
    return hidden if hidden and told and not open_choice else ()


def parts(sql: str) -> tuple[str, ...]:
    """The words, texts and numbers that stand in a piece of SQL.

    >>> parts("a IN ('it''s', '7') AND b > 3.5")
    ('a', 'IN', "it's", '7', 'AND', 'b', '3.5')
    """
    found = _PART.finditer(sql)
    return tuple(
        one[1].replace("''", "'") if one[1] is not None else one[2] or one[3] for one in found
    )


def says(request: str, part: str) -> bool:
    """True if a request says a word, a text or a number; a whole number in words too.

    >>> says("Patients of sixty-five.", "65"), says("Bed 165.", "65"), says("One by one", "1")
    (True, False, False)
    """
    if not part.strip() or (part.isdigit() and int(part) < _TELLING):
        return False
    forms = [part.replace("_", " ")]
    if part.isdigit() and int(part) <= LARGEST:
        forms.append(in_words(int(part)))
    text = request.lower().replace("-", " ").replace("_", " ")
    return any(
        re.search(rf"(?<![\w.]){re.escape(form.lower().replace('-', ' '))}(?!\w|\.\d)", text)
        for form in forms
    )
