"""How long similarity search takes over 100,000 values: building, loading, a query."""

import sqlite3
import statistics
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from time import perf_counter

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


def measure() -> list[dict[str, str | float]]:
    """The figures, each a dict of name, value, unit and what it is compared with."""
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
    return [
        _figure("index built", built, "s", "60 s"),
        _figure("index loaded", loaded, "s", "1 s"),
        _figure("query, median", statistics.median(queries) * 1000, "ms", "20 ms"),
        _figure("query, slowest", max(queries) * 1000, "ms", "100 ms"),
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


def _figure(name: str, value: float, unit: str, wanted: str) -> dict[str, str | float]:
    compared = f"{wanted} wanted, {VALUES:,} values"
    return {"name": name, "value": round(value, 3), "unit": unit, "compared_with": compared}


if __name__ == "__main__":
    for figure in measure():
        print(figure)
