"""Asks a judge several times about one item and takes the majority."""

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
    """The verdict on an item after each vote, so that no vote is asked for again.

    A judge that fails leaves the item undecided; the votes given so far are kept. A tie is
    undecided too.

    Args:
        item: the verdict without its state and votes.
        known: verdicts given before, by key.
        ask: asks for the vote of this number, from 0.
        votes: how many are asked for; an odd number has no ties.
    """
    before = known.get(item.key, item)
    if item.key in known and before.final:
        return
    given = before.votes
    while len(given) < votes:
        try:
            given = (*given, await ask(len(given)))
        except (InfraError, MalformedAnswerError) as error:
            yield replace(item, state="undecided", reason=str(error), votes=given)
            return
        if len(given) < votes:
            yield replace(item, state="undecided", reason="", votes=given)
    yield _majority(replace(item, votes=given))


def _majority(verdict: Verdict) -> Verdict:
    passed, failed = (verdict.votes.count(state) for state in ("passed", "failed"))
    if passed == failed:
        return replace(verdict, state="undecided", reason="the votes are tied")
    return replace(verdict, state="passed" if passed > failed else "failed")
