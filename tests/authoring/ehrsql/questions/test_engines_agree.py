"""All engines give the same questions with the same answers."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.ehr.database.engines import made_database, needs
from tests.hospitals import hospital_file
from wardround.authoring.ehrsql.questions.made_question import Made
from wardround.authoring.ehrsql.questions.maker import opened_maker
from wardround.authoring.ehrsql.templates import templates_for
from wardround.ehr.database import Cell
from wardround.ehr.hospital import build_hospital

ENGINES = ("duckdb", pytest.param("postgres", marks=needs("postgres")))


@pytest.fixture(scope="module")
def on_sqlite(hospital: Path) -> Sequence[Made]:
    return _made(str(hospital))


@pytest.mark.parametrize("engine", ENGINES)
def test_engine_gives_the_questions_and_answers_of_sqlite(
    engine: str, on_sqlite: Sequence[Made], tmp_path: Path
) -> None:
    if engine == "duckdb":
        questions = _made(str(hospital_file("mimic_iv_star", 40, seed=5)))
    else:
        with made_database(engine, tmp_path, []) as location:
            build_hospital(location, patients=40, seed=5, schema="mimic_iv_star", replace=True)
            questions = _made(location)
    assert [each.question for each in questions] == [each.question for each in on_sqlite]
    assert [each.tied for each in questions] == [each.tied for each in on_sqlite]
    for here, there in zip(questions, on_sqlite, strict=True):
        if not there.tied:
            assert _rows(here) == _rows(there), there.question


def _made(location: str) -> Sequence[Made]:
    """Makes a question of every fourth template."""
    with opened_maker(location, seed=3) as maker:
        templates = templates_for(maker.pool.source.records)[::4]
        return list(maker.answerable(dict.fromkeys(templates, 1)))


def _rows(question: Made) -> list[str]:
    return sorted(str([_rounded(cell) for cell in row]) for row in question.rows)


def _rounded(cell: Cell) -> Cell:
    return round(float(cell), 6) if isinstance(cell, int | float) else cell
