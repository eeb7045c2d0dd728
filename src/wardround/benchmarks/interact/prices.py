"""Prices of actions, budgets and points (4.1, 4.2, F, J)."""

from types import MappingProxyType

from wardround.benchmarks.kit.agent_texts import token_estimate

EXECUTE, ASK, SUBMIT = "execute", "ask", "submit"

# Table 9.
PRICES = MappingProxyType(
    {
        EXECUTE: 1.0,
        "get_schema": 1.0,
        "get_all_column_meanings": 1.0,
        "get_column_meaning": 0.5,
        "get_all_external_knowledge_names": 0.5,
        "get_knowledge_definition": 0.5,
        "get_all_knowledge_definitions": 1.0,
        ASK: 2.0,
        SUBMIT: 3.0,
    }
)

# Points for passing a stage at the first and at the second submission.
_POINTS = {"first": (0.7, 0.5), "second": (0.3, 0.2)}

# Points of a task without a follow-up; its reward is scaled by them.
FIRST_ALONE = 0.7

_BASE = 6.0
_CHEAP, _DEAR = 0.5, 1.0
_FEW_IN, _FEW_OUT = 250, 1000


def budget_of(ambiguities: int, patience: int) -> float:
    """Computes the budget of an agent in a-Interact (4.2).

    >>> budget_of(4, 3)
    20.0
    """
    return _BASE + 2 * ambiguities + 2 * patience


def price_by_tokens(text_in: str, text_out: str) -> float:
    """Prices an action that is not in Table 9, by the tokens of input and output (J.2).

    >>> price_by_tokens("stay_id, outtime", "7 " * 999), price_by_tokens("a " * 250, "")
    (0.5, 1.0)
    """
    few = token_estimate(text_in) < _FEW_IN and token_estimate(text_out) < _FEW_OUT
    return _CHEAP if few else _DEAR


def points_of(mode: str, stage: str, attempt: int) -> float:
    """Returns the points of a submission that passes.

    In a conversation a second submission is worth less; in a-Interact all are worth the same.

    Args:
        mode: "c", "clear" or "a".
        stage: "first" or "second".
        attempt: the number of the submission at this stage, from 1.

    >>> points_of("c", "first", 2), points_of("a", "first", 2)
    (0.5, 0.7)
    """
    first, later = _POINTS[stage]
    return first if attempt == 1 or mode == "a" else later
