"""More wordings of the templates from a language model, for a person to accept or strike.

`paraphrase` asks for them and writes a review file, `accepted_wordings` reads what was accepted.
"""

from wardround.benchmarks.ehrsql.paraphrasing.accepted import accepted_wordings
from wardround.benchmarks.ehrsql.paraphrasing.asked import Asked, all_asked
from wardround.benchmarks.ehrsql.paraphrasing.pipeline import Paraphraser
from wardround.benchmarks.ehrsql.paraphrasing.review import Line, near_template, read_review
from wardround.benchmarks.ehrsql.paraphrasing.turns import Told, paraphrase

__all__ = [
    "Asked",
    "Line",
    "Paraphraser",
    "Told",
    "accepted_wordings",
    "all_asked",
    "near_template",
    "paraphrase",
    "read_review",
]
