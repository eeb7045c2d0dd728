"""Making EHRSQL's questions: templates, their SQL on each schema, and their slots."""
