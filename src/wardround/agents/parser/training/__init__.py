"""Training on pairs of questions and SQL: their kinds, slots and readings."""
