"""BIRD-Interact: resolve ambiguity under a budget, reading and writing PostgreSQL."""
