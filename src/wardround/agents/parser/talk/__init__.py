"""The baseline agent that needs no language model: key words to a request, a request to SQL."""

from wardround.agents.keyword.agent import KeywordAgent, keyword_agent
from wardround.core.benchmark import AgentMaker
from wardround.models.door import LanguageModel

__all__ = ["KeywordAgent", "keyword_agent", "open_agents"]


def open_agents(model: LanguageModel | None) -> AgentMaker:
    """Agents of this kind; a model that was named is for the simulated people only."""
    return keyword_agent
