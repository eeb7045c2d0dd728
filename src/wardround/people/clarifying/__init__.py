"""Simulated users who answer clarifying questions without revealing the query."""

from typing import TYPE_CHECKING

from wardround.core.lazy_names import lazy_names

if TYPE_CHECKING:
    from wardround.people.clarifying.llm_users import Baseline, FunctionDriven
    from wardround.people.clarifying.model_free import ModelFree
else:
    __getattr__ = lazy_names(
        __name__,
        {
            "llm_users": ("Baseline", "FunctionDriven"),
            "model_free": ("ModelFree",),
        },
    )

__all__ = ["Baseline", "FunctionDriven", "ModelFree"]
