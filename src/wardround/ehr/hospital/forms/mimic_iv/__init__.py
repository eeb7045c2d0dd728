"""The hospital as MIMIC-IV 3.1 publishes one: all tables of HOSP and ICU."""
