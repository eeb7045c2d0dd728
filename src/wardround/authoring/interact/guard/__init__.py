"""UserSim-Guard for BIRD-Interact: the questions about its tasks, and putting them to a user."""
