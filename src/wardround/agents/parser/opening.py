"""Opens the parser's agents: one parser for each database that trials ask about."""

import atexit
from functools import cache
from pathlib import Path
from threading import Lock

from wardround.agents.parser.agent import ParserAgent
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.storage import laid_on, read_stored
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.errors import UserError
from wardround.core.task import Briefing
from wardround.ehr.database import open_database
from wardround.models.door import LanguageModel


def open_agents(model: LanguageModel | None, *, agent_model: Path) -> AgentMaker:
    """Agents on a trained parser, which they share; a language model is for the people only.

    Args:
        model: not used.
        agent_model: a file of `wardround train parser`.

    Raises:
        UserError: the file is none of a parser; or, later, the room does not say where its
            database is, or the parser was taught on tables that it lacks.
    """
    stored = read_stored(agent_model)
    lock = Lock()

    @cache
    def parser_for(location: str) -> Parser:
        database = open_database(location)
        atexit.register(database.close)
        return laid_on(stored, database)

    def make(briefing: Briefing, context: AgentContext) -> ParserAgent:
        location = briefing.facts.get("location")
        if location is None:
            raise UserError("The parser answers single questions; run it on the benchmark ehrsql.")
        with lock:
            return ParserAgent(parser_for(location))

    return make
