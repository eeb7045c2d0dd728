"""Makes ambiguous tasks of clear ones, and checks that what is ambiguous can be cleared up (H)."""
