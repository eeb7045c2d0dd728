"""The model-free parser: questions to SQL, learnt from pairs in seconds, with no weights to fetch.

It finds the kind of a question by its wording with values masked, links values and times against
the live database, puts forms of SQL and times together that it never saw together, runs what comes
out, and refuses where it is not sure enough. It says what it understood, and, where a person could
help, what it would have to be told: `Parsed.doubts`.
"""

from wardround.agents.pairs import Pair
from wardround.agents.parser.abstention_rules import Choice, Doubt
from wardround.agents.parser.factory import parser_agents
from wardround.agents.parser.parser import Parsed, Parser
from wardround.agents.parser.parser_file import load, save
from wardround.agents.parser.trainer import train

__all__ = [
    "Choice",
    "Doubt",
    "Pair",
    "Parsed",
    "Parser",
    "load",
    "parser_agents",
    "save",
    "train",
]
