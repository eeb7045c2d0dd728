"""Conversations about a database: each turn adds to, narrows or changes a request.

A request is plain data. The environment's tools resolve its terms to stored values, and one query
answers all of it.
"""

from wardround.agents.parser.talk.agent import ConversationAgent
from wardround.agents.parser.talk.several_questions import SeveralQuestionsAgent
from wardround.core.task import Briefing

__all__ = ["conversation_agent"]


def conversation_agent(briefing: Briefing) -> ConversationAgent:
    """The agent for a conversation: about one question as in a trial, or about several."""
    has_several = briefing.facts.get("questions") == "many"
    return (SeveralQuestionsAgent if has_several else ConversationAgent)(briefing)
