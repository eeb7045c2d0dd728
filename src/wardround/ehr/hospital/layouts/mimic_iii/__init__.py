"""Layout `mimic_iii` (1.4): all tables except notes."""
