"""A model-free parser from questions to SQL, trained on pairs in seconds.

It classifies a question by its wording with values masked, fills SQL forms with the values and
times that the question names, tries the candidate queries, and refuses below a calibrated
confidence. `Parsed.understood` explains the answer; `Parsed.doubts` asks what a person can settle.
"""

from typing import TYPE_CHECKING

from wardround.agents.pairs import Pair, TrainingPairs
from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.agents.parser.abstention_rules import Choice, Doubt
    from wardround.agents.parser.parser import Parsed, Parser
    from wardround.agents.parser.parser_file import load, save, with_current_values
    from wardround.agents.parser.training.trainer import train
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "abstention_rules": ("Choice", "Doubt"),
            "parser": ("Parsed", "Parser"),
            "parser_file": ("load", "save", "with_current_values"),
            "training.trainer": ("train",),
        },
    )

__all__ = [
    "Choice",
    "Doubt",
    "Pair",
    "Parsed",
    "Parser",
    "TrainingPairs",
    "load",
    "save",
    "train",
    "with_current_values",
]
