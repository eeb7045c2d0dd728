"""Preparation of MIMIC-III, MIMIC-IV and eICU for question answering (Lee et al. 2022, 3.2, D)."""

from wardround.ehr.ingest.preparation.plan import RECORD_CHANGES, Effect, Plan, Step, step_lines
from wardround.ehr.ingest.preparation.preparation import STEPS, prepare

__all__ = ["RECORD_CHANGES", "STEPS", "Effect", "Plan", "Step", "prepare", "step_lines"]
