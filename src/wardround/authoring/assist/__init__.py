"""Makes PhysAssistBench's sessions from a record: plan, gold, questions, gates and review."""
