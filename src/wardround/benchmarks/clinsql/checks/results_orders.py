"""Rule for results leaves that order columns: "X is at most Y", "X lies between Y and Z"."""

from collections.abc import Iterator, Sequence

from wardround.benchmarks.clinsql.checks.leaf_bounds import Comparator, comparator_at
from wardround.benchmarks.clinsql.checks.leaf_tokens import Token
from wardround.benchmarks.clinsql.checks.results_checks import Ordered
from wardround.benchmarks.clinsql.checks.results_leaf import ResultsLeaf


def ordered(leaf: ResultsLeaf) -> Ordered | None:
    """The columns between comparisons that meet no number, in rising order."""
    found = _between(leaf) or _chained(leaf)
    if len(found) < 2 or len(set(found)) < len(found):
        return None
    return Ordered(columns=tuple(map(leaf.header.column, found)))


def _between(leaf: ResultsLeaf) -> list[int]:
    """The columns of "X lies between Y and Z", as Y, X, Z."""
    texts = [token.text for token in leaf.tokens]
    if "between" not in texts or "and" not in texts[texts.index("between") :]:
        return []
    start = texts.index("between")
    link = texts.index("and", start)
    parts = (leaf.tokens[start:link], leaf.tokens[:start], leaf.tokens[link:])
    return _all_found(leaf, parts)


def _chained(leaf: ResultsLeaf) -> list[int]:
    """The columns around comparisons without a number, in rising order."""
    links = [link for link in _comparators(leaf.tokens) if not _meets_number(leaf, link)]
    if not links or len({link.side for link in links}) > 1:
        return []
    starts = [0, *(link.end for link in links)]
    ends = [*(link.start for link in links), len(leaf.tokens)]
    parts = [leaf.tokens[a:b] for a, b in zip(starts, ends, strict=True)]
    found = _all_found(leaf, parts)
    return found if links[0].side == "high" else found[::-1]


def _all_found(leaf: ResultsLeaf, parts: Sequence[Sequence[Token]]) -> list[int]:
    found = [leaf.header.find(part) for part in parts]
    return [at for at in found if at is not None] if None not in found else []


def _meets_number(leaf: ResultsLeaf, link: Comparator) -> bool:
    after = leaf.tokens[link.end : link.end + 1]
    return any(token.is_number for token in after)


def _comparators(tokens: Sequence[Token]) -> Iterator[Comparator]:
    """The comparisons of a sentence, in order."""
    at = 0
    while at < len(tokens):
        found = comparator_at(tokens, at)
        if found:
            yield found
        at = found.end if found else at + 1
