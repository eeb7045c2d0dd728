"""Makes ambiguous tasks from clear ones, and checks that they need and allow clarification (H)."""
