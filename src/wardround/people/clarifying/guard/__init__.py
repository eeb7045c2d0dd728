"""UserSim-Guard: questions that test a simulated user (Huo et al. 2025, O)."""

from wardround.people.clarifying.guard.evaluation import (
    SIMULATORS,
    Outcome,
    Simulator,
    accuracy,
    judged,
    matches,
    recorded,
    referenced,
    users_of,
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
