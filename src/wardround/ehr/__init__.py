"""The clinical record, useful alone: it knows no benchmark and no model."""
