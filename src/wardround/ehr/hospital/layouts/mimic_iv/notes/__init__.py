"""Discharge summaries and radiology reports of the hospital, in MIMIC-IV-Note's form.

They are made of the stay's own record, and of phrases drawn from separate random streams.
"""
