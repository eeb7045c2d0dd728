"""The use of models while rewording, in one sentence."""

from collections.abc import Sequence

from wardround.core.trajectory import Requested


def spent(requests: Sequence[Requested]) -> str:
    """The number of requests, their tokens, and their cost if all prices are known.

    >>> spent([Requested("paraphraser", "m", 10, 5, None, 0.1)])
    '1 requests: 10 tokens read, 5 written.'
    """
    costs = [request.cost for request in requests if request.cost is not None]
    read = _total([request.input_tokens for request in requests])
    written = _total([request.output_tokens for request in requests])
    cost = f", {sum(costs):.4f} US dollars" if costs and len(costs) == len(requests) else ""
    return f"{len(requests):,} requests: {read} tokens read, {written} written{cost}."


def _total(counts: Sequence[int | None]) -> str:
    known = [count for count in counts if count is not None]
    return f"{sum(known):,}" if len(known) == len(counts) else "an unknown number of"
