"""More wordings of the templates from a language model, for a person to accept or strike.

`paraphrase` asks for them and writes a review file, `accepted_wordings` reads what was accepted.
"""

from wardround.authoring.ehrsql.paraphrases.accepted_wordings import accepted_wordings
from wardround.authoring.ehrsql.paraphrases.pipeline import Paraphraser
from wardround.authoring.ehrsql.paraphrases.review_file import Line, near_template, read_review
from wardround.authoring.ehrsql.paraphrases.template_loop import Told, paraphrase
from wardround.authoring.ehrsql.paraphrases.template_wordings import Asked, all_asked

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
