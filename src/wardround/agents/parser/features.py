"""What a question is like, as words: its own and those of what was found in it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from wardround.agents.parser.question_reader import Reading, role

_PUNCTUATION = frozenset(".,?!;:\"'`")


def features(reading: Reading) -> tuple[str, ...]:
    """The words, pairs of words and findings of a question, each once, sorted."""
    said = [word for word in reading.masked if word not in _PUNCTUATION]
    general = ["<value>" if _is_value(word) else word for word in said]
    found = {*_of_words(said), *_of_words(general), *_of_findings(reading)}
    return tuple(sorted(found))


def general(features: Sequence[str]) -> tuple[str, ...]:
    """The features that do not depend on what the values of a question are of."""
    return tuple(one for one in features if not ("<" in one and "." in one) and one[0] != "v")


def _is_value(word: str) -> bool:
    return word.startswith("<") and "." in word


def _of_words(said: Sequence[str]) -> Iterator[str]:
    yield from (f"w {word}" for word in said)
    yield from (f"p {first} {second}" for first, second in pairwise(["^", *said, "$"]))
    words = [word for word in said if not word.startswith("<")]
    yield from (f"s {first} {second}" for first, second in zip(words, words[2:], strict=False))


def _of_findings(reading: Reading) -> Iterator[str]:
    for mention in reading.mentions:
        yield from (f"v {domain.name}" for domain in mention.values)
    yield f"n {len(reading.mentions)}"
    for time in reading.times:
        inside = (word.text for word in reading.words[time.first : time.last])
        yield from (f"i {word}" for word in inside if word.isalpha())
    yield from (f"# {number.value}" for number in reading.numbers)
    roles = [role(time.filter) for time in reading.times]
    yield from (f"t {name} {roles.count(name)}" for name in roles)
