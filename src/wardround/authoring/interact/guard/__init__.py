"""UserSim-Guard: questions that tell whether a simulated user answers what it may and no more."""
