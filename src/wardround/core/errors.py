"""Shared exceptions, by whose fault they are."""


class WardroundError(Exception):
    """Base of all errors that wardround raises on purpose; the message is one sentence."""


class UserError(WardroundError):
    """A mistake in the user's input; the message names the problem, its place and a remedy."""


class NoPairsError(UserError):
    """A source can make no questions with their SQL about a database."""


class InfraError(WardroundError):
    """A provider, a server or a disk failed; neither agent nor user is to blame."""


class AgentError(WardroundError):
    """The agent could not turn an observation into an action."""


class ActionError(AgentError):
    """The agent gave an action that cannot be carried out."""


class MalformedAnswerError(WardroundError):
    """A model did not give an answer of the requested schema, even after repairs."""


class ToolError(WardroundError):
    """A tool was used wrongly; the message goes back to the agent as the tool's result."""
