"""The two environments: a scripted conversation, and actions at a price."""
