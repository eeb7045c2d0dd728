"""More wordings of the templates from a language model, for a person to accept or strike.

`paraphrase` adds them to a review file, `accepted_wordings` reads those that were accepted.
"""

from wardround.authoring.ehrsql.paraphrases.candidates import (
    Paraphrase,
    Rank,
    accepted_wordings,
    read_paraphrases,
)
from wardround.authoring.ehrsql.paraphrases.paraphraser import Paraphraser
from wardround.authoring.ehrsql.paraphrases.template_loop import Paraphrased, paraphrase
from wardround.authoring.ehrsql.paraphrases.templates import (
    Template,
    all_templates,
    chosen_templates,
)

__all__ = [
    "Paraphrase",
    "Paraphrased",
    "Paraphraser",
    "Rank",
    "Template",
    "accepted_wordings",
    "all_templates",
    "chosen_templates",
    "paraphrase",
    "read_paraphrases",
]
