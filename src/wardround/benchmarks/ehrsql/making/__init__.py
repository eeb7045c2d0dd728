"""Makes sets of EHRSQL questions from templates: sampling, paraphrases, splits, files.

`made_pairs` gives questions with their SQL to learn from; `make_ehrsql` writes a whole set.
"""

from wardround.benchmarks.ehrsql.making.make import MadeSet, make_ehrsql
from wardround.benchmarks.ehrsql.making.pairs import made_pairs
from wardround.benchmarks.ehrsql.making.paraphrases import paraphrases, wordings

__all__ = ["MadeSet", "made_pairs", "make_ehrsql", "paraphrases", "wordings"]
