"""The hospital as eICU 2.0 publishes many: a row per time in intensive care, offsets in minutes."""
