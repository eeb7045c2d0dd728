"""Simulated users who answer clarifying questions without revealing the query."""

from wardround.people.clarifying.baseline import Baseline
from wardround.people.clarifying.function_driven import FunctionDriven
from wardround.people.clarifying.model_free import ModelFree

__all__ = ["Baseline", "FunctionDriven", "ModelFree"]
