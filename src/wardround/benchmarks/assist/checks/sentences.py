"""Sentences and segments of an answer in one spelling, and refusals."""

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from wardround.benchmarks.assist.checks.lexicon import negation_start
from wardround.ehr.text.language import Language, has_han
from wardround.ehr.text.segments import phrases, statements, texts

_RAISED = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_MICRO = re.compile(r"μ(?=\s?(?:g|mol|l|m)\b)", re.IGNORECASE)
_DASHES = dict.fromkeys((0x2010, 0x2011, 0x2012, 0x2212), "-")
_SIGNS = _DASHES | {0x2215: "/", 0x2044: "/", 0x2019: "'"}
_CHINESE_SIGNS = frozenset("，。；：！？（）")  # they end clauses and sentences
# Programs read texts up to this length, with no longer sentence; they are quadratic in a sentence.
MOST_LETTERS, MOST_IN_SENTENCE = 10_000, 3_000
_BULLETS = " -•*"
_POINTS_BACK = re.compile(r"\b(?:it|them|they|both)\b|其|它|两者|该药|均")
_UNABLE = (
    r"(?:cannot|can not|can't|(?: am| are|'m|'re) (?:not able|unable)|(?:do not|don't) have"
    r"|have no|lack)"
)
_HELP = (
    r"(?:access|retriev|view|look|see|read|open|search|provid|answer|tell|determin|confirm|help"
    r"|assist|comply|place|write|order|interview|ask)"
)
_DECLINES = re.compile(rf"\b(?:I|we)\b(?: \w+)? ?{_UNABLE}\b[^.!?]{{0,40}}\b{_HELP}", re.IGNORECASE)
_LEAVES_OPEN = re.compile(
    r"(?:I|we) (?:(?:cannot|can not|can't|could not|couldn't|am unable to|are unable to) (?:judge"
    r"|decide|determine|say|tell|know|assess)|(?:do not|don't) know)\b(?:(?!\bbut\b)[^,;:])*[.;]?"
    r"|(?:that|this|the) decision is yours\.?",
    re.IGNORECASE,
)
_LEAVES_OPEN_ZH = re.compile(
    r"[^，。；,但]{0,6}(?:我|我们)?(?:无法|不能|难以)(?:判断|决定|确定|评估|得知)[^，。；,但]*"
    r"(?:[，,]请?由您决定)?[。；]?"
)
_DECLINES_ZH = re.compile(
    r"(?:无法|不能|没有权限|无权|没有办法|做不到|不便)[^。！？,，]{0,8}"
    r"(?:访问|获取|查看|查询|读取|调取|检索|提供|回答|得知|确定|确认|协助|帮助|开具|下达|询问)"
)


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


def sentences(text: str) -> list[str]:
    r"""The statements of a text without the bullets before them.

    >>> sentences("- INR 3.8.\n- Hb 7.1 g/dL; stop it. Recheck")
    ['INR 3.8.', 'Hb 7.1 g/dL;', 'stop it.', 'Recheck']
    """
    parts = (part.strip(_BULLETS) for part in texts(text, statements(text, _language(text))))
    return [part for part in parts if part]


def _language(text: str) -> Language:
    return "zh" if has_han(text) else "en"


def too_long(text: str) -> str:
    """The reason why programs do not read a text; "" if it is not too long.

    >>> too_long("Stop it. " * 1000), too_long("stop it " * 500)
    ('', 'a sentence has more than 3,000 characters')
    """
    if len(text) > MOST_LETTERS:
        return f"the text has more than {MOST_LETTERS:,} characters"
    if any(len(part) > MOST_IN_SENTENCE for part in sentences(text)):
        return f"a sentence has more than {MOST_IN_SENTENCE:,} characters"
    return ""


def windows(text: str) -> Iterator[str]:
    """Each sentence, and with the one before it where it points back to it."""
    before = ""
    for sentence in sentences(text):
        yield sentence
        if before and points_back(sentence):
            yield f"{before} {sentence}"
        before = sentence


def points_back(text: str) -> bool:
    """True for a text with a word for a thing named before it, such as "it"."""
    return _POINTS_BACK.search(text) is not None


def segments(sentence: str) -> list[str]:
    """The parts of a sentence between which a negation does not reach; one begins a part.

    >>> segments("recheck it and give no potassium")
    ['recheck it', 'give', 'no potassium']
    """
    parts = texts(sentence, phrases(sentence, _language(sentence)))
    halves = (half.strip() for part in parts for half in _halves(part))
    return [half for half in halves if half]


def refuses(answer: str) -> bool:
    """True if an answer declines to look or to help, in the first person.

    The paper counts refusals by language (5.2) and gives no rule for them.

    >>> refuses("I'm unable to access patient records."), refuses("我无法访问病历。")
    (True, True)
    >>> refuses("He cannot manage stairs."), refuses("患者无法独自上楼。")
    (False, False)
    """
    text = answer.replace("\u2019", "'")
    return bool(_DECLINES.search(text) or _DECLINES_ZH.search(text))


def leaves_open(sentence: str) -> bool:
    """True if all that a sentence says is that the speaker cannot judge or does not know.

    >>> leaves_open("I cannot judge what to do about it;"), leaves_open("I can't say, but stop it.")
    (True, False)
    """
    text = sentence.replace("\u2019", "'").strip()
    return bool(_LEAVES_OPEN.fullmatch(text) or _LEAVES_OPEN_ZH.fullmatch(text))


def _halves(part: str) -> tuple[str, str]:
    start = negation_start(part)
    return part[:start], part[start:]
