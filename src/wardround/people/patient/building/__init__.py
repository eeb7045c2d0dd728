"""A patient's memory built from an admission's record, in five phases (Du et al. 2026, C).

The note is divided into sections; drugs, adherence, diagnoses and values are extracted; names and
explanations are put into the patient's words; the persona follows by rules; the memory is verified.
"""
