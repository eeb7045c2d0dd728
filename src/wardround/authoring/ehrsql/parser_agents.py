"""The agent `parser` as runs open it: trained, or taught by made questions where need be."""

from functools import partial
from pathlib import Path

import typer

from wardround.agents.parser.factory import parser_agents
from wardround.agents.parser.parser_file import laid_on, read_stored
from wardround.authoring.ehrsql.parser_cache import kept_parser
from wardround.core.benchmark import AgentMaker
from wardround.models.client import LanguageModel


def open_agents(model: LanguageModel | None, *, agent_model: Path | None = None) -> AgentMaker:
    """Agents for the rooms of every benchmark that the parser knows.

    Args:
        model: not used; a language model is for the people only.
        agent_model: a file of `wardround train parser`; without one, questions made about the
            database are learnt first and kept.

    Raises:
        UserError: the file is none of a parser; or, later, the database has other tables than the
            parser was taught on, or none that questions can be made about.
    """
    if agent_model is None:
        return parser_agents(partial(kept_parser, told=partial(typer.echo, err=True)))
    stored = read_stored(agent_model)
    return parser_agents(lambda database: laid_on(stored, database))
