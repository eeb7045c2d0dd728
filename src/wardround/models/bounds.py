"""Bounds the size and figures of answers, so that all can be stored."""

from dataclasses import replace
from hashlib import sha256
from math import isfinite

import orjson

from wardround.models.exchange import Answer, Request, Source
from wardround.models.messages import ModelCall, Reply

MOST_TOKENS = 10**6
"""The most tokens of one answer that are believed."""

MOST_COST = 1e6
"""More US dollars than any answer costs."""

MOST_BYTES = 256 << 10
"""The most bytes of an answer that are kept."""

_MOST_NAME = 200


def with_bounds(source: Source) -> Source:
    """A source whose answers are bounded."""

    async def answer(request: Request) -> Answer:
        return bounded(await source(request))

    return answer


def bounded(answer: Answer) -> Answer:
    """The answer with implausible figures corrected, and its text and calls cut to size.

    >>> answer = bounded(Answer(Reply("Ward 3."), 10**30, -1, float("nan")))
    >>> answer.input_tokens, answer.output_tokens, answer.cost
    (None, None, None)
    """
    read, written = tokens(answer.input_tokens), tokens(answer.output_tokens)
    # A price computed from implausible numbers is unknown.
    cost = None if read is None or written is None else _cost(answer.cost)
    return replace(
        answer,
        reply=_bounded_reply(answer.reply),
        input_tokens=read,
        output_tokens=written,
        cost=cost,
    )


def tokens(reported: object) -> int | None:
    """A number of tokens; None if it is missing or implausible.

    >>> tokens(12), tokens(1_000_001), tokens(-1), tokens("12"), tokens(float("nan"))
    (12, None, None, None, None)
    """
    if not isinstance(reported, int | float) or not 0 <= reported <= MOST_TOKENS:
        return None
    return int(reported)


def added_tokens(*counts: int | None) -> int | None:
    """The sum of numbers of tokens; None if one is unknown."""
    return None if None in counts else sum(count or 0 for count in counts)


def _cost(reported: float | None) -> float | None:
    if reported is None or not isfinite(reported) or not 0 <= reported <= MOST_COST:
        return None
    return float(reported)


def _bounded_reply(reply: Reply) -> Reply:
    text, calls = shortened(reply.text), tuple(map(_bounded_call, reply.calls))
    cut = text is not reply.text or calls != reply.calls
    # The provider's own form repeats the cut text; without it the cut reply is sent back.
    keeps_own = not cut and len(reply.opaque.encode(errors="replace")) <= 4 * MOST_BYTES
    reason = str(reply.finish_reason)[:_MOST_NAME]
    return Reply(text, calls, reason, reply.opaque if keeps_own else "")


def shortened(text: str) -> str:
    """The text; if too long, its beginning with the full length and digest.

    >>> shortened("x" * 300_000)[MOST_BYTES + 1 :][:34]
    '[shortened: 300,000 bytes, SHA-256'
    """
    if len(text) <= MOST_BYTES // 4:
        return text
    content = text.encode(errors="replace")
    if len(content) <= MOST_BYTES:
        return text
    beginning = content[:MOST_BYTES].decode(errors="ignore")
    return (
        f"{beginning}\n[shortened: {len(content):,} bytes, SHA-256 {sha256(content).hexdigest()}]"
    )


def _bounded_call(call: ModelCall) -> ModelCall:
    """The call, or one with a problem if its arguments cannot be stored."""
    problem = call.problem[: 4 * _MOST_NAME]
    arguments = call.arguments
    try:
        size = len(orjson.dumps(arguments))
    except (TypeError, orjson.JSONEncodeError):
        arguments, problem = {}, "The arguments hold values that JSON does not have. Call it again."
    else:
        if size > MOST_BYTES:
            arguments = {}
            problem = f"The arguments take {size:,} bytes; {MOST_BYTES:,} are the most. Call again."
    if (arguments, problem) == (call.arguments, call.problem) and _short(call):
        return call
    return ModelCall(call.id[:_MOST_NAME], call.tool[:_MOST_NAME], arguments, problem)


def _short(call: ModelCall) -> bool:
    return max(len(call.id), len(call.tool)) <= _MOST_NAME
