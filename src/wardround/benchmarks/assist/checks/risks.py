"""The stance of a flag on its diagnosis: stated as a risk, denied, or in doubt."""

import re
from collections.abc import Iterator, Sequence

from wardround.benchmarks.assist.checks.clauses import Clause
from wardround.benchmarks.assist.checks.facts.words import known_words, words
from wardround.benchmarks.assist.checks.lexicon import Meaning, meanings, spans
from wardround.benchmarks.assist.checks.readings import FINDINGS
from wardround.ehr.text.cues import Assertion, assertion
from wardround.ehr.text.language import language_of
from wardround.ehr.text.mentions import Mention, mentions
from wardround.ehr.text.segments import blanked, phrases, texts

# Assertions of a diagnosis, each with whether its risk is called low, that deny it.
_DENIALS: frozenset[tuple[Assertion, bool]] = frozenset({("absent", False), ("present", True)})
# Between a level and its test, and between a test and its level.
_LEVEL_OF = re.compile(r"\s+(?:(?:serum|plasma|blood)\s+)?|\s*血[清浆]?", re.IGNORECASE)
_LEVEL_AFTER = re.compile(r"(?<=[\u3400-\u9fff])(?:水平|浓度)?")
_LESS: frozenset[Meaning] = frozenset({"low", "less", "fall"})


def is_denied(subject: str, names: Sequence[str]) -> bool:
    """True if a subject rules out the diagnosis that it names, or calls its risk low.

    A phrase that names a drug or an action may deny that, and one that does both denies a low risk.

    >>> is_denied("no bleeding", ["bleeding"]), is_denied("low risk of bleeding", ["bleeding"])
    (True, True)
    >>> is_denied("no ibuprofen: bleeding", ["bleeding"]), is_denied("avoid bleeding", ["bleeding"])
    (False, False)
    """
    mentioned = _diagnoses(subject, names)
    return bool(mentioned) and all(
        (_assertion(phrase, each), _is_low(phrase, each)) in _DENIALS
        and not (drugs_in(phrase) or any(w.name.startswith("action: ") for w in words(phrase)))
        for phrase, each in mentioned
    )


def is_doubted(subject: str, names: Sequence[str]) -> bool:
    """True if a subject does not state the diagnosis that it names as a risk of the patient.

    >>> is_doubted("possible bleeding", ["bleeding"]), is_doubted("bleeding risk", ["bleeding"])
    (True, False)
    """
    is_asked = subject.rstrip().endswith(("?", "？"))
    return _is_low_alone(subject) or any(
        _assertion(phrase, each) != "present"
        or not _LESS.isdisjoint(meanings(blanked(phrase, [each.span])))
        or not Clause(phrase, is_asked, known_words()).is_understood
        for phrase, each in _diagnoses(subject, names)
    )


def _is_low_alone(subject: str) -> bool:
    """True if a phrase that names nothing calls what a phrase before it names low.

    >>> _is_low_alone("bleeding risk: low"), _is_low_alone("bleeding, platelets low")
    (True, False)
    """
    parts = texts(subject, phrases(subject, language_of(subject) or "en"))
    alone = (p for p in parts if not mentions(p, "diagnosis", "test", "drug"))
    return any(not _LESS.isdisjoint(meanings(part)) for part in alone)


def _diagnoses(subject: str, names: Sequence[str]) -> list[tuple[str, Mention]]:
    """The mentions of a diagnosis of some names, each in its phrase of the subject."""
    wanted = {each.name for name in names for each in diagnoses_in(name)}
    parts = texts(subject, phrases(subject, language_of(subject) or "en"))
    named = ((part, each) for part in parts for each in diagnoses_in(part))
    return [(part, each) for part, each in named if each.name in wanted]


def diagnoses_in(text: str) -> list[Mention]:
    """The diagnoses that a text names, also as the level of a test.

    >>> [each.name for each in diagnoses_in("high K, 血钙降低, bleeding")]
    ['hyperkalemia', 'hypocalcemia', 'bleeding']
    """
    return sorted([*mentions(text, "diagnosis"), *_levels(text)])


def _levels(text: str) -> Iterator[Mention]:
    tests = mentions(text, "test")
    for finding, (test, level) in FINDINGS.items():
        for start, end in spans(text, level):
            for named in (each for each in tests if each.name == test):
                if _LEVEL_OF.fullmatch(text, end, named.start):
                    yield Mention(start, named.end, "diagnosis", finding)
                elif _LEVEL_AFTER.fullmatch(text, named.end, start):
                    yield Mention(named.start, end, "diagnosis", finding)


def _assertion(phrase: str, diagnosis: Mention) -> Assertion:
    return assertion(phrase, diagnosis.span, language_of(phrase) or "en")


def _is_low(phrase: str, diagnosis: Mention) -> bool:
    """True if a phrase calls the risk of a diagnosis low; beside a test, its result is low."""
    rest = blanked(phrase, [diagnosis.span])
    is_low = any(word.name == "level: low" for word in words(rest)) or "low" in meanings(rest)
    return is_low and not mentions(rest, "test")


def drugs_in(text: str) -> set[str]:
    """The drugs that a text names outside its diagnoses."""
    around = mentions(text, "diagnosis")
    return {
        drug.name
        for drug in mentions(text, "drug")
        if not any(each.start <= drug.start and drug.end <= each.end for each in around)
    }
