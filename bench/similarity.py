"""Measures similarity search over 100,000 values: time to build, load and query."""

import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from time import perf_counter

from bench.figures import Figure, figure
from wardround.ehr.database import open_database
from wardround.ehr.values import ValueIndexes, WordLlamaEmbedder, similarity_search

VALUES = 100_000

_COURSES = ("acute", "chronic", "recurrent", "subacute", "late effect of", "history of")
_CAUSES = ("viral", "bacterial", "traumatic", "drug induced", "congenital", "malignant", "benign")
_DISEASES = (
    *("neoplasm", "infection", "fracture", "ulcer", "embolism", "stenosis", "hemorrhage"),
    *("inflammation", "insufficiency", "obstruction", "abscess", "edema", "failure", "cyst"),
)
_ORGANS = (
    *("breast", "lung", "liver", "kidney", "heart", "colon", "stomach", "brain", "skin", "femur"),
    *("bladder", "pancreas", "thyroid", "prostate", "ovary", "esophagus", "spleen", "aorta"),
)
_SIDES = ("left", "right", "bilateral", "upper", "lower", "unspecified part of")
_STAGES = ("initial encounter", "sequela", "stage 1", "stage 2", "in remission", "unspecified")

_QUERIES = (
    *("breast cancer", "wbc", "heart attack", "pnuemonia", "chronic kidney disease", "htn"),
    *("fracture of left femur", "blood clot in the lung", "stomach ulcer", "brain bleed"),
)


def measure() -> list[Figure]:
    """Measures building and loading an index, and the median and slowest query."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "values.sqlite"
        _write(path, list(islice(_titles(), VALUES)))
        database = open_database(path)
        WordLlamaEmbedder().encode(["its weights are loaded once for all"])
        built = _seconds(lambda: ValueIndexes(database).of("titles", "title"))
        indexes = ValueIndexes(database)
        loaded = _seconds(lambda: indexes.of("titles", "title"))
        queries = [_seconds(_query(indexes, text)) for text in _QUERIES * 5]
        database.close()
    name = f"similarity search, {VALUES:,} values"
    median, slowest = statistics.median(queries) * 1000, max(queries) * 1000
    return [
        figure(f"{name}: index loaded", loaded, "s", f"goal: under 1; built: {built:.1f}"),
        figure(f"{name}: median query", median, "ms", f"goal: under 20; slowest: {slowest:.1f}"),
    ]


def _titles() -> Iterator[str]:
    for parts in product(_STAGES, _SIDES, _COURSES, _CAUSES, _DISEASES, _ORGANS):
        stage, side, course, cause, disease, organ = parts
        yield f"{course} {cause} {disease} of {side} {organ}, {stage}"


def _write(path: Path, titles: list[str]) -> None:
    connection = sqlite3.connect(path)
    connection.execute("create table titles (title text)")
    connection.executemany("insert into titles values (?)", ((title,) for title in titles))
    connection.commit()
    connection.close()


def _query(indexes: ValueIndexes, text: str) -> Callable[[], object]:
    return lambda: similarity_search(indexes, "titles", "title", text)


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
