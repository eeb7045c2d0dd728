"""UserSim-Guard for BIRD-Interact: questions about its tasks, and a user's accuracy on them."""
