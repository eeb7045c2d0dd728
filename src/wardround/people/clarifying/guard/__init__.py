"""UserSim-Guard: questions that test a simulated user (Huo et al. 2025, O)."""

from wardround.people.clarifying.guard.evaluation import (
    Outcome,
    accuracy,
    judged,
    matches,
    recorded,
    referenced,
)
from wardround.people.clarifying.guard.question_file import (
    CATEGORIES,
    STYLES,
    Category,
    GuardQuestion,
    parse_guard,
    read_guard,
    serialized,
)
from wardround.people.clarifying.guard.simulators import SIMULATORS, Simulator, users_of

__all__ = [
    "CATEGORIES",
    "SIMULATORS",
    "STYLES",
    "Category",
    "GuardQuestion",
    "Outcome",
    "Simulator",
    "accuracy",
    "judged",
    "matches",
    "parse_guard",
    "read_guard",
    "recorded",
    "referenced",
    "serialized",
    "users_of",
]
