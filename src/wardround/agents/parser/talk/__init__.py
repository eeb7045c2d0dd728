"""Holding a conversation about a database's records: what is asked is kept, narrowed and changed.

What a user says becomes a request, which is plain data; the tools of the room tell what the
database calls the things in it; one query answers the whole of it.
"""

from wardround.agents.parser.talk.agent import TalkingAgent

__all__ = ["TalkingAgent"]
