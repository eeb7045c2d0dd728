"""Makes sets of EHRSQL questions: draws slots, runs queries, plans splits and writes files."""
