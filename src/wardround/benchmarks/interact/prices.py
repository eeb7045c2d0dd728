"""Prices, budgets and rewards (4.1, 4.2, F, J); only here do actions cost something."""

import re
from types import MappingProxyType

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

STAGES = ("first", "second")

_CONVERSATION = {"first": (0.7, 0.5), "second": (0.3, 0.2)}
_ACTIONS = {"first": 0.7, "second": 0.3}

# What a task without a follow-up can earn is all there is to earn.
FIRST_ALONE = 0.7

_BASE = 6.0
_CHEAP, _DEAR = 0.5, 1.0
_FEW_IN, _FEW_OUT = 250, 1000


def questions_allowed(ambiguities: int, patience: int) -> int:
    """The number of questions that the user of c-Interact answers (4.1)."""
    return ambiguities + patience


def budget_of(ambiguities: int, patience: int) -> float:
    """The budget of an agent in a-Interact (4.2).

    >>> budget_of(4, 3)
    20.0
    """
    return _BASE + 2 * ambiguities + 2 * patience


def price_by_tokens(tokens_in: int, tokens_out: int) -> float:
    """The price of an action that Table 9 does not have (J.2).

    >>> price_by_tokens(20, 999), price_by_tokens(250, 10)
    (0.5, 1.0)
    """
    return _CHEAP if tokens_in < _FEW_IN and tokens_out < _FEW_OUT else _DEAR


def tokens(text: str) -> int:
    """A model-independent estimate of a text's tokens: its words and signs.

    >>> tokens("stay_id, outtime")
    3
    """
    return len(re.findall(r"\w+|[^\w\s]", text))


def points_of(mode: str, stage: str, attempt: int) -> float:
    """The points of a submission that passes.

    In a conversation a second try is worth less; with actions every try is worth the same.

    Args:
        mode: "c", "clear" or "a".
        stage: "first" or "second".
        attempt: which try at the stage it is, from 1.

    >>> points_of("c", "first", 2), points_of("a", "first", 2)
    (0.5, 0.7)
    """
    if mode == "a":
        return _ACTIONS[stage]
    at_once, later = _CONVERSATION[stage]
    return at_once if attempt == 1 else later
