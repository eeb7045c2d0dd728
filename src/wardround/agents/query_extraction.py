"""Finds the query in a language model's answer (Shen et al. 2026, D, and its code)."""

import re

_FENCED = re.compile(r"```[^\S\n]*\w*[^\S\n]*\n?(.*?)```", re.DOTALL)
_TAGGED = re.compile(r"\[sql\](.*?)(?:\[/sql\]|\Z)", re.IGNORECASE | re.DOTALL)
_AFTER_COLON = re.compile(r"\bsql\s*:(.*)", re.IGNORECASE | re.DOTALL)
_START = re.compile(r"\b(?:with|select)\b", re.IGNORECASE)


def extracted_query(text: str) -> str:
    r"""The query that an answer ends with, closed by a semicolon; "" if there is none.

    The last fenced block counts, else what an [sql] tag holds, else what follows "sql:", else the
    whole answer; of it, everything before its first WITH or SELECT is left out.

    >>> extracted_query("Reasoning: count them.\n```sql\nSELECT 1\n```")
    'SELECT 1;'
    """
    found = _START.search(part := _query_part(text))
    if found is None:
        return ""
    return f"{part[found.start() :].strip().rstrip(';').rstrip()};"


def _query_part(text: str) -> str:
    if fenced := _FENCED.findall(text):
        return str(fenced[-1])
    found = _TAGGED.search(text) or _AFTER_COLON.search(text)
    return found[1] if found else text
