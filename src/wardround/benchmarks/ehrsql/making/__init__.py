"""Makes sets of EHRSQL questions from templates: sampling, paraphrases, splits, files."""
