"""The errors that cross module borders, told apart by whose fault they are."""


class WardroundError(Exception):
    """Any error that wardround raises on purpose; its text is one sentence for a person."""


class UserError(WardroundError):
    """A mistake in what the user gave: says what is wrong, where, and what to do."""


class InfraError(WardroundError):
    """A fault of neither agent nor user: a provider, a server or a disk that failed."""


class AgentError(WardroundError):
    """The agent's own failure: it could not turn an observation into an action."""


class MalformedAnswerError(WardroundError):
    """A model gave no answer of the form asked for, repairs included."""


class ToolError(WardroundError):
    """A tool was used wrongly; its text goes back to the agent as the tool's result."""
