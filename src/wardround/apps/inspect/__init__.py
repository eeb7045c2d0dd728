"""wardround for users of Inspect: benchmarks as tasks, solvers as agents, runs as logs."""
