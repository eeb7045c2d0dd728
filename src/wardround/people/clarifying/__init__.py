"""Simulated users who clear up what they asked for, and never tell how it is queried."""

from wardround.people.clarifying.baseline import Baseline
from wardround.people.clarifying.function_driven import FunctionDriven
from wardround.people.clarifying.model_free import ModelFree

__all__ = ["Baseline", "FunctionDriven", "ModelFree"]
