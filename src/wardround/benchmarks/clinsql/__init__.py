"""ClinSQL: build the right cohort and measure it, judged by rubric trees."""
