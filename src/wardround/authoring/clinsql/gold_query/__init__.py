"""The gold query of a specification: its tables, predicates, stages and syntax tree."""
