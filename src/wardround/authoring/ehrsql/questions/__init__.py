"""Makes sets of EHRSQL questions from templates: sampling, paraphrases, splits, files.

`made_pairs` gives questions with their SQL to learn from; `make_ehrsql` writes a whole set.
"""

from wardround.authoring.ehrsql.questions.pairs import made_pairs
from wardround.authoring.ehrsql.questions.paraphrases import paraphrases, wordings
from wardround.authoring.ehrsql.questions.suite import MadeSet, make_ehrsql

__all__ = ["MadeSet", "made_pairs", "make_ehrsql", "paraphrases", "wordings"]
