"""Layout `mimic_iv` (3.1): all tables of HOSP and ICU."""
