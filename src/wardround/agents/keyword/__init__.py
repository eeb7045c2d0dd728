"""The baseline agent that needs no language model: key words to a request, a request to SQL."""

from wardround.agents.keyword.agent import KeywordAgent, keyword_agent

__all__ = ["KeywordAgent", "keyword_agent"]
