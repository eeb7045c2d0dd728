"""Prices of actions and budgets of trials in BIRD-Interact (4.1, 4.2, J)."""

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
