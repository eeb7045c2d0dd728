"""BIRD-Interact: an agent that must find out what is meant, under a budget, and may write."""
