"""Predictions as files: `{id: SQL or "null"}`, and `{id: confidence}` beside it."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isnan
from pathlib import Path
from typing import Any

from wardround.benchmarks.ehrsql.tasks import NULL, is_refusal
from wardround.core.errors import UserError


@dataclass(frozen=True, slots=True)
class Predictions:
    """The answers of a system.

    Attributes:
        answers: SQL by question id; "null" for a refusal.
        unusable: reasons by id for predictions that cannot be run.
        duplicates: ids that occur more than once.
    """

    answers: Mapping[str, str]
    unusable: Mapping[str, str] = field(default_factory=dict)
    duplicates: tuple[str, ...] = ()

    def unknown(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Returns the predicted ids that are not among `ids`."""
        known = set(ids)
        return tuple(id for id in (*self.answers, *self.unusable) if id not in known)

    def almost_null(self) -> tuple[str, ...]:
        """Returns ids with "null" in another letter case, which is not a refusal."""
        return tuple(id for id, sql in self.answers.items() if _is_almost_null(sql))


def read_predictions(path: Path) -> Predictions:
    """Reads a predictions file; an id with two different answers is unusable.

    Raises:
        UserError: the file is missing, or is not a JSON object.
    """
    answers: dict[str, str] = {}
    unusable: dict[str, str] = {}
    pairs = _pairs(path, "predictions")
    for id, value in pairs:
        if not isinstance(value, str):
            unusable[id] = "the prediction is not text"
        elif answers.get(id, value) != value:
            unusable[id] = "the id was given two predictions"
        else:
            answers[id] = value
    usable = {id: sql for id, sql in answers.items() if id not in unusable}
    return Predictions(usable, unusable, _duplicates(pairs))


def read_confidences(path: Path) -> dict[str, float]:
    """Reads a confidences file: any numbers, higher for more confident answers.

    Raises:
        UserError: the file is missing, is not a JSON object, or has a value that is not a number.
    """
    confidences: dict[str, float] = {}
    for id, value in _pairs(path, "confidences"):
        if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
            raise UserError(f"{path}: the confidence of {id} is not a number; fix the file.")
        if confidences.setdefault(id, value) != value:
            raise UserError(f"{path}: {id} has two confidences; keep one of them.")
    return confidences


def _is_almost_null(sql: str) -> bool:
    return not is_refusal(sql) and sql.strip().lower() == NULL


def _duplicates(pairs: Iterable[tuple[str, Any]]) -> tuple[str, ...]:
    counts = Counter(id for id, _ in pairs)
    return tuple(id for id, times in counts.items() if times > 1)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as pairs in order, with duplicate names."""


def _pairs(path: Path, noun: str) -> list[tuple[str, Any]]:
    if path.is_dir():
        raise UserError(f"{path} is a folder; name the {noun} file in it.")
    if not path.is_file():
        raise UserError(f"The {noun} file {path} does not exist; check the path.")
    try:
        pairs = json.loads(path.read_bytes(), object_pairs_hook=_Pairs)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid JSON ({error}); fix the file.") from None
    if not isinstance(pairs, _Pairs):
        raise UserError(f"{path} is not a JSON object of {noun} by question id; fix the file.")
    return pairs
