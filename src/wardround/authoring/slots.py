"""Slots, tenses and articles of a wording, such as "Who [is|was] {patient_id} on {a:drug}?"."""

import re

# A slot; `a:` puts "a" or "an" before what fills it.
SLOT = re.compile(r"\{(a:)?(\w+)\}")

_EITHER = re.compile(r"\[([^|\]]*)\|([^\]]*)\]")
_NOW_AND_THEN = {"has been": "was", "have been": "were", "is": "was", "are": "were"}
_NOW = re.compile(rf"\b({'|'.join(_NOW_AND_THEN)})\b")
_SOUNDS_LIKE_A_VOWEL = re.compile(
    r"""[aeio8] | u(?!ni|re|ri|s[aei]) | (?:11|18)\b | hour | hei
      | [fhlmnrsx] (?![a-z]*[aeiouy])""",  # letters said one by one: mcv
    re.VERBOSE,
)


def with_article(name: str) -> str:
    """Returns the name after "a" or "an".

    >>> with_article("albumin"), with_article("urea nitrogen"), with_article("mcv")
    ('an albumin', 'a urea nitrogen', 'an mcv')
    """
    article = "an" if _SOUNDS_LIKE_A_VOWEL.match(name.lower()) else "a"
    return f"{article} {name}"


def in_tense(wording: str, over: bool) -> str:
    """Returns the wording with each `[open|over]` in one tense.

    >>> in_tense("What [is|was] it?", over=True)
    'What was it?'
    """
    return _EITHER.sub(r"\2" if over else r"\1", wording)


def in_both_tenses(wording: str) -> str:
    """Returns the wording with each present form beside the one for a time that is over.

    >>> in_both_tenses("Which drugs are given most?")
    'Which drugs [are|were] given most?'
    """
    return _NOW.sub(lambda now: f"[{now[1]}|{_NOW_AND_THEN[now[1]]}]", wording)
