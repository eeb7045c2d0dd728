"""Causes of failed trials: by a program, then by a classifier; and the tables of them."""

from typing import Literal, TypeAlias

Failure: TypeAlias = Literal[
    "value linking",
    "SQL",
    "clinical knowledge",
    "rule of the database",
    "unresolved ambiguity",
    "gave up",
    "undecided",
]
