"""The two rooms of BIRD-Interact: a scripted conversation, and actions at a price."""
