"""The parser in a room: one question, one answer or a refusal."""

import asyncio

from wardround.agents.parser.parser import Parser
from wardround.core.actions import Action, Call, Observation


class ParserAgent:
    """Submits what the parser answers with; the confidence is that of its best query."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser

    async def act(self, observation: Observation) -> Action:
        """The answer; what is in doubt and what was understood stand in the refusal's reason."""
        parsed = await asyncio.to_thread(self._parser.answer, observation.text)
        if parsed.sql is None:
            reason = " ".join([*(doubt.asks for doubt in parsed.doubts), parsed.explanation])
            return Call("abstain", {"reason": reason, "confidence": 1 - parsed.confidence})
        return Call("submit_sql", {"query": parsed.sql, "confidence": parsed.confidence})
