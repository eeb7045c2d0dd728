"""wardround: can this AI agent be trusted with a patient database?

>>> import wardround
>>> wardround.Say("Which ward?")
Say(text='Which ward?')
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wardround.apps.api import (
        OpenTrials,
        Run,
        load_run,
        open_trials,
        run,
        run_async,
        task_ids,
    )
    from wardround.core.actions import Action, Call, Observation, Say
    from wardround.core.benchmark import AgentContext
    from wardround.core.environment import Agent
    from wardround.core.errors import AgentError, InfraError, UserError
    from wardround.core.session import TrialSession
    from wardround.core.task import Briefing

# Its warnings quote statements, and with them patients' values.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL + 1)

__version__ = "0.1.0"

__all__ = [
    "Action",
    "Agent",
    "AgentContext",
    "AgentError",
    "Briefing",
    "Call",
    "InfraError",
    "Observation",
    "OpenTrials",
    "Run",
    "Say",
    "TrialSession",
    "UserError",
    "__version__",
    "load_run",
    "open_trials",
    "run",
    "run_async",
    "task_ids",
]

# Imported on first use, so that the command line does not import what a command does not need.
_MODULES = {
    "wardround.apps.api": (
        "OpenTrials",
        "Run",
        "load_run",
        "open_trials",
        "run",
        "run_async",
        "task_ids",
    ),
    "wardround.core.actions": ("Action", "Call", "Observation", "Say"),
    "wardround.core.benchmark": ("AgentContext",),
    "wardround.core.environment": ("Agent",),
    "wardround.core.errors": ("AgentError", "InfraError", "UserError"),
    "wardround.core.session": ("TrialSession",),
    "wardround.core.task": ("Briefing",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

if not TYPE_CHECKING:  # a type checker knows the names above, and that there are no others

    def __getattr__(name: str) -> Any:
        """Imports a public name."""
        if name not in _MODULE_OF:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
        return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted({*globals(), *__all__})
