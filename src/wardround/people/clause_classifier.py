"""Classifies clauses of instructions and their conditions by wording.

The weights are learned from labelled lines by `tools/clause_classifier/train.py`.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Literal, TypeAlias, cast

from wardround.people.patterns import pattern
from wardround.people.sentences import restore
from wardround.people.text_classifier import Sample, Scale, TextClassifier

Role: TypeAlias = Literal["ask", "secret", "silent"]
ROLES: tuple[Role, ...] = ("secret", "silent", "ask")
ConditionKind: TypeAlias = Literal["question", "nothing", "found", "statement", "turn", "data"]

_QUOTE = re.compile(r"[\"\u201c\u2018].*?[\"\u201d\u2019]|(?<!\w)'.*?'(?!\w)")
_TOKEN = re.compile(r"<=|>=|[a-z]+(?:['\u2019][a-z]+)?|\d[\d.,:/-]*|[<>=%?]|\{quote\}")
SCALE = Scale(features=1, embedding=0.5, bias=1)
# A clause is something to say unless another role is likelier by this.
_BENEFIT = 0.2


def clause_role(clause: str) -> Role:
    """Returns the role of a main clause: to say, not to be said, or how to behave.

    Openings that are closed classes decide first. Otherwise the classifier does, but a clause that
    may well be something to say is: a requirement that is lost does more harm than a stage
    direction that is spoken.

    >>> clause_role("leave out stays under 24 hours"), clause_role("keep your messages short")
    ('ask', 'silent')
    """
    clause = pattern("grammar", "please").sub("", clause)
    if pattern("grammar", "end").search(clause):
        return "ask"
    for role in ROLES:
        if pattern("grammar", f"{role}_opening").match(clause):
            return role
    role = _likeliest_role(restore(clause))
    has_value = role == "silent" and pattern("grammar", "value").search(restore(clause))
    return "ask" if has_value and not pattern("grammar", "negation").match(clause) else role


@lru_cache(maxsize=4096)
def _likeliest_role(text: str) -> Role:
    shares = load_classifier("clauses").probabilities(sample(text))
    likeliest = max(shares, key=lambda name: shares[name] + (_BENEFIT if name == "ask" else 0))
    return cast("Role", likeliest)


@lru_cache(maxsize=4096)
def condition_kind(text: str) -> ConditionKind:
    """Returns the event that a condition waits for.

    >>> condition_kind("the agent wonders which ward you mean"), condition_kind("none is found")
    ('question', 'nothing')
    """
    shares = load_classifier("conditions").probabilities(sample(text))
    return cast("ConditionKind", max(shares, key=lambda name: shares[name]))


def sample(text: str) -> Sample:
    """The features of a text, each once, and its words."""
    return Sample(dict.fromkeys(features(text), 1.0), text.lower())


def features(text: str) -> Iterator[str]:
    """Yields words, pairs and the opening of a text, with placeholders for numbers and quotes.

    >>> sorted(features("Round to 2"))
    ['#', '# $', '1 round', '1 round to', '^ round', 'round', 'round to', 'to', 'to #']
    """
    plain = _QUOTE.sub("{quote}", text).lower().replace("\u2019", "'")
    words = ["#" if word[0].isdigit() else word for word in _TOKEN.findall(plain)]
    yield from words
    yield from (f"{first} {second}" for first, second in pairwise(["^", *words, "$"]))
    yield from (f"1 {' '.join(words[:count])}" for count in (1, 2) if words)


@cache
def load_classifier(name: str) -> TextClassifier[str]:
    """Loads a packaged classifier: "clauses" or "conditions"."""
    import numpy as np

    with (files(__package__) / "clause_classifier.npz").open("rb") as file:
        stored = dict(np.load(file))
    return TextClassifier(
        tuple(stored[f"{name}_classes"].tolist()),
        {feature: column for column, feature in enumerate(stored[f"{name}_features"].tolist())},
        stored[f"{name}_weights"].astype(np.float64),
        SCALE,
    )
