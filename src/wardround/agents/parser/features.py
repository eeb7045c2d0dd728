"""Features of a question for the classifiers: its words, word pairs and findings."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from wardround.agents.parser.question_reader import Reading, time_role

_PUNCTUATION = frozenset(".,?!;:\"'`")


def features(reading: Reading) -> tuple[str, ...]:
    """The distinct features of a question, sorted."""
    masked = [word for word in reading.masked if word not in _PUNCTUATION]
    generic = ["<value>" if _is_value(word) else word for word in masked]
    found = {*_word_features(masked), *_word_features(generic), *_finding_features(reading)}
    return tuple(sorted(found))


def without_domains(features: Sequence[str]) -> tuple[str, ...]:
    """The features that do not depend on the domains of the values."""
    return tuple(one for one in features if not ("<" in one and "." in one) and one[0] != "v")


def _is_value(word: str) -> bool:
    return word.startswith("<") and "." in word


def _word_features(masked: Sequence[str]) -> Iterator[str]:
    yield from (f"w {word}" for word in masked)
    yield from (f"p {first} {second}" for first, second in pairwise(["^", *masked, "$"]))
    words = [word for word in masked if not word.startswith("<")]
    yield from (f"s {first} {second}" for first, second in zip(words, words[2:], strict=False))


def _finding_features(reading: Reading) -> Iterator[str]:
    for mention in reading.mentions:
        yield from (f"v {domain.name}" for domain in mention.values)
    yield f"n {len(reading.mentions)}"
    for time in reading.times:
        inside = (word.text for word in reading.words[time.first : time.last])
        yield from (f"i {word}" for word in inside if word.isalpha())
    yield from (f"# {number.value}" for number in reading.numbers)
    roles = [time_role(time.filter) for time in reading.times]
    yield from (f"t {role} {roles.count(role)}" for role in roles)
