"""Making ClinSQL tasks: cohorts, queries, questions and rubrics from one specification."""
