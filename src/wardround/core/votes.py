"""Majority votes of a judge on one item."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import replace

from wardround.core.errors import InfraError, MalformedAnswerError
from wardround.core.verdict import State, Verdict


async def voted(
    item: Verdict,
    known: Mapping[str, Verdict],
    ask: Callable[[int], Awaitable[State]],
    votes: int = 3,
) -> AsyncIterator[Verdict]:
    """Yields the verdict on an item after each vote, so that no vote is requested twice.

    If the judge fails, the item stays undecided with the votes so far. Ties are undecided.

    Args:
        item: the verdict without its state and votes.
        known: earlier verdicts, by key.
        ask: requests the vote with this number, from 0.
        votes: the number of votes; an odd number has no ties.
    """
    before = known.get(item.key, item)
    if item.key in known and before.final:
        return
    cast = before.votes
    while len(cast) < votes:
        try:
            cast = (*cast, await ask(len(cast)))
        except (InfraError, MalformedAnswerError) as error:
            yield replace(item, state="undecided", reason=str(error), votes=cast)
            return
        if len(cast) < votes:
            yield replace(item, state="undecided", reason="", votes=cast)
    yield _majority(replace(item, votes=cast))


def _majority(verdict: Verdict) -> Verdict:
    passed, failed = (verdict.votes.count(state) for state in ("passed", "failed"))
    if passed == failed:
        return replace(verdict, state="undecided", reason="the votes are tied")
    return replace(verdict, state="passed" if passed > failed else "failed")
