"""Official MIMIC-III, MIMIC-IV and eICU prepared as EHRSQL prepares them (§3.2, D)."""

from wardround.ehr.ingest.preparation.plan import Effect, Plan, Step
from wardround.ehr.ingest.preparation.preparation import STEPS, prepare

__all__ = ["STEPS", "Effect", "Plan", "Step", "prepare"]
