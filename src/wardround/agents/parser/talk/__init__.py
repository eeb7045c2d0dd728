"""Conversations about a database: each turn adds to, narrows or changes a request.

A request is plain data. The environment's tools resolve its terms to stored values, and one query
answers all of it.
"""

from wardround.agents.parser.talk.agent import ConversationAgent

__all__ = ["ConversationAgent"]
