#!/usr/bin/env python3
"""Refuses a commit whose subject is over 72 characters or joins two thoughts by a semicolon."""

import sys
from pathlib import Path

LONGEST = 72


def fault(subject: str) -> str:
    """The fault of a subject; "" if it has none.

    >>> fault("Serve: answering processes are started again")
    ''
    >>> fault("Serve starts processes again; docs say so")
    'The subject joins two thoughts by a semicolon: make two commits.'
    """
    if len(subject) > LONGEST:
        return f"The subject has {len(subject)} characters: {LONGEST} are the limit."
    if ";" in subject:
        return "The subject joins two thoughts by a semicolon: make two commits."
    return ""


if __name__ == "__main__":
    if found := fault((Path(sys.argv[1]).read_text().splitlines() or [""])[0]):
        sys.exit(found)
