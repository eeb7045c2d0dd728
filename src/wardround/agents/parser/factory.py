"""Makes the parser's agents: each room of a benchmark has its own way to ask and to answer."""

import atexit
from collections.abc import Callable
from functools import cache
from threading import Lock

from wardround.agents.parser.agent import ParserAgent
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.request_agent import RequestAgent
from wardround.agents.parser.talk import TalkingAgent
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.environment import Agent
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.ehr.database import Database, open_database


def parser_agents(parser_of: Callable[[Database], Parser]) -> AgentMaker:
    """Agents for every room: they talk, or ask, or answer at once.

    Args:
        parser_of: gives the parser for a database, once for all trials on it; it is not called
            for EHR-ChatQA, where the room's tools tell all that there is to know.

    Raises:
        UserError: later, a room does not say where its database is, or there is no parser for it.
    """
    parser_for = _shared(parser_of)

    def make(briefing: Briefing, context: AgentContext) -> Agent:
        if "flow" in briefing.facts:
            return TalkingAgent(briefing)
        location = briefing.facts.get("location")
        if location is None:
            raise UserError("The parser needs a room that says where its database is.")
        if "mode" in briefing.facts:
            return RequestAgent(parser_for(location), briefing)
        return ParserAgent(parser_for(location))

    return make


def _shared(parser_of: Callable[[Database], Parser]) -> Callable[[str], Parser]:
    """The parser on each database, opened once for all trials."""
    lock = Lock()

    @cache
    def opened(location: str) -> Parser:
        database = open_database(location)
        atexit.register(database.close)
        return parser_of(database)

    def parser_for(location: str) -> Parser:
        with lock:
            return opened(location)

    return parser_for
