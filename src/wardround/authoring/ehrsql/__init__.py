"""Making EHRSQL tasks: question templates, questions drawn from a database, paraphrases."""
