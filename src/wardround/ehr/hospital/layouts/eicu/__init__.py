"""Layout `eicu` (2.0): one row for each unit stay, times as offsets in minutes."""
