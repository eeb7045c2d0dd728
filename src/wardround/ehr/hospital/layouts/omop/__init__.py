"""Layout `omop_5_4`: clinical and vocabulary tables of the OMOP common data model."""
