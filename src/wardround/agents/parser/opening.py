"""Opens the parser's agents: one that talks, or a trained parser on the database asked about."""

import atexit
from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock

from wardround.agents.parser.agent import ParserAgent
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.storage import Stored, laid_on, read_stored
from wardround.agents.parser.talk import TalkingAgent
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.environment import Agent
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.ehr.database import open_database
from wardround.models.door import LanguageModel


def open_agents(model: LanguageModel | None, *, agent_model: Path | None = None) -> AgentMaker:
    """Agents for both rooms: in EHR-ChatQA's they hold the talk, in EHRSQL's they answer at once.

    Args:
        model: not used; a language model is for the people only.
        agent_model: a file of `wardround train parser`, for EHRSQL's room; trials share it.

    Raises:
        UserError: the file is none of a parser; or, later, a room needs one that was not named,
            does not say where its database is, or has other tables than the parser was taught on.
    """
    parser_for = _shared(read_stored(agent_model)) if agent_model else None

    def make(briefing: Briefing, context: AgentContext) -> Agent:
        if "flow" in briefing.facts:
            return TalkingAgent(briefing)
        location = briefing.facts.get("location")
        if location is None:
            raise UserError(
                "The parser talks in chatqa and answers in ehrsql; run it on one of these."
            )
        if parser_for is None:
            raise UserError(
                "The agent 'parser' needs --agent-model, a file of `wardround train parser`, to "
                "answer ehrsql; add it."
            )
        return ParserAgent(parser_for(location))

    return make


def _shared(stored: Stored) -> Callable[[str], Parser]:
    """The parser on each database, laid on it once for all trials."""
    lock = Lock()

    @cache
    def laid(location: str) -> Parser:
        database = open_database(location)
        atexit.register(database.close)
        return laid_on(stored, database)

    def parser_for(location: str) -> Parser:
        with lock:
            return laid(location)

    return parser_for
