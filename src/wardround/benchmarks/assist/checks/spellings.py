"""One spelling of an answer's letters: width, compatibility forms, micro signs, dashes."""

import re
from unicodedata import category, normalize

_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_MICRO = re.compile(r"μ(?=\s?(?:g|mol|l|m)\b)", re.IGNORECASE)
_DASHES = dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212), "-")
_SIGNS = _DASHES | {0x2215: "/", 0x2044: "/", 0x2019: "'"}
_CHINESE_SIGNS = frozenset("，。；：！？（）")  # they end clauses and sentences


def normal(text: str) -> str:
    r"""A text in normal form (NFKC) whose powers of ten, micro signs and dashes read as usual.

    >>> normal("10⁹/L, 79 \u03bcmol/L, 83 \u00b5g/mL, \uff12\uff0e\uff15")
    '10^9/L, 79 umol/L, 83 ug/mL, 2.5'
    """
    raised = _RAISED.sub(lambda match: "^" + normalize("NFKC", match[0]), text)
    letters = (each if each in _CHINESE_SIGNS else normalize("NFKC", each) for each in raised)
    plain = normalize("NFC", "".join(letters)).translate(_SIGNS)
    visible = "".join(each for each in plain if category(each) != "Cf")
    return _MICRO.sub("u", visible)
