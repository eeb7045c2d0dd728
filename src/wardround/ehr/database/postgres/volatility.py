"""Finds expressions whose value differs from run to run."""

import re

_CHANGING = re.compile(
    r"\b(?:current_(?:date|time|timestamp)|local(?:time|timestamp)|now|timeofday|random\w*|"
    r"(?:clock|statement|transaction)_timestamp|setseed|gen_random_uuid|uuidv[47]|nextval)\b|"
    r"\bage\s*\([^,()]*\)|'(?:now|today|tomorrow|yesterday)'",
    re.IGNORECASE,
)


def changes_by_itself(sql: str) -> bool:
    """Return True if SQL contains an expression whose value changes from run to run.

    >>> changes_by_itself("SELECT AGE(birthday) FROM t"), changes_by_itself("SELECT age FROM t")
    (True, False)
    """
    return _CHANGING.search(sql) is not None
