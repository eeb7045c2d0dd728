"""Predictions as files: `{id: SQL or "null"}`, and `{id: confidence}` beside it."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from wardround.benchmarks.ehrsql.tasks import NULL
from wardround.core.errors import UserError


@dataclass(frozen=True, slots=True)
class Predictions:
    """The answers of a system.

    Attributes:
        answers: the SQL by question id, or "null" where it refuses.
        unusable: why an id has no answer that could be run.
        duplicates: ids that were given more than once.
    """

    answers: Mapping[str, str]
    unusable: Mapping[str, str] = field(default_factory=dict)
    duplicates: tuple[str, ...] = ()

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """The predicted ids that are none of these."""
        known = set(ids)
        return tuple(id for id in (*self.answers, *self.unusable) if id not in known)

    def almost_null(self) -> tuple[str, ...]:
        """The ids whose answer would be a refusal, were it the exact text "null"."""
        return tuple(id for id, sql in self.answers.items() if _is_almost_null(sql))


def read_predictions(path: Path) -> Predictions:
    """Reads a predictions file; an id that is there twice with two answers has none.

    Raises:
        UserError: the file is missing, or is no JSON object.
    """
    answers: dict[str, str] = {}
    unusable: dict[str, str] = {}
    pairs = _pairs(path, "predictions")
    for id, value in pairs:
        if not isinstance(value, str):
            unusable[id] = "the prediction is no text"
        elif answers.get(id, value) != value:
            unusable[id] = "the id was given two predictions"
        else:
            answers[id] = value
    usable = {id: sql for id, sql in answers.items() if id not in unusable}
    return Predictions(usable, unusable, _duplicates(pairs))


def read_confidences(path: Path) -> dict[str, float]:
    """Reads a confidences file: any numbers, higher for more confident answers.

    Raises:
        UserError: the file is missing, is no JSON object, or holds something that is no number.
    """
    found: dict[str, float] = {}
    for id, value in _pairs(path, "confidences"):
        if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
            raise UserError(f"{path}: the confidence of {id} is not a number; fix the file.")
        if found.setdefault(id, value) != value:
            raise UserError(f"{path}: {id} has two confidences; keep one of them.")
    return found


def _is_almost_null(sql: str) -> bool:
    return sql != NULL and sql.strip().lower() == NULL


def _duplicates(pairs: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    counted = Counter(id for id, _ in pairs)
    return tuple(id for id, times in counted.items() if times > 1)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with its names in order, duplicate ones too."""


def _pairs(path: Path, what: str) -> list[tuple[str, Any]]:
    if path.is_dir():
        raise UserError(f"{path} is a folder; name the {what} file in it.")
    if not path.is_file():
        raise UserError(f"The {what} file {path} does not exist; check the path.")
    try:
        found = json.loads(path.read_bytes(), object_pairs_hook=_Pairs)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid JSON ({error}); fix the file.") from None
    if not isinstance(found, _Pairs):
        raise UserError(f"{path} is not a JSON object of {what} by question id; fix the file.")
    return found
