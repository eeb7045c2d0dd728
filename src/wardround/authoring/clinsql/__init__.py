"""Making and annotating ClinSQL's tasks."""
