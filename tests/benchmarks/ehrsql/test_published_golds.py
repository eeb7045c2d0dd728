"""The published golds give the published answers on the real database, known defects aside."""

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from wardround.benchmarks.ehrsql.evaluate import evaluate, run_gold, run_golds
from wardround.benchmarks.ehrsql.gold import answerable, check_gold, known_defects
from wardround.benchmarks.ehrsql.modes import MODES
from wardround.benchmarks.ehrsql.predictions import Predictions
from wardround.benchmarks.ehrsql.results import Results
from wardround.benchmarks.ehrsql.tasks import load_tasks
from wardround.core.task import Suite
from wardround.ehr.database import open_database
from wardround.scoring.abstention import figures

DATA = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "ehrsql-2024"

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="EHRSQL 2024 is not here")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Results]:
    path = tmp_path_factory.mktemp("ehrsql") / "mimic_iv.sqlite"
    with gzip.open(DATA / "mimic_iv.sqlite.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    database = open_database(path)
    yield Results(database)
    database.close()


@pytest.fixture(scope="module")
def suite() -> Suite:
    return load_tasks(DATA / "valid")


def test_every_gold_of_valid_gives_its_published_answer_in_every_mode(
    results: Results, suite: Suite, tmp_path: Path
) -> None:
    run_golds(suite, results, [MODES["ehrsql-2024"]], tmp_path)
    wrong = [
        task.id
        for task in answerable(suite.tasks)
        if (gold := run_gold(task, results, MODES["ehrsql-2024"])) and check_gold(task, gold)
    ]
    assert wrong == []
    made = Predictions({task.id: task.hidden.gold or "" for task in suite.tasks})
    found = evaluate(suite, results, [MODES["ehrsql-2024"], MODES["strict"]], made)
    for mode in ("ehrsql-2024", "strict"):
        assert set(figures([one.judged[mode] for one in found.scored]).values()) == {100.0}


def test_lower_case_golds_give_the_same_answers(results: Results, suite: Suite) -> None:
    """EHRSQL 1.5 writes all SQL in lower case; its restored time formats mean the same."""
    tasks = [task for task in answerable(suite.tasks) if "%" in (task.hidden.gold or "")][:60]
    for task in tasks:
        lowered = run_gold(task, results, MODES["ehrsql-1.5"])
        assert lowered == run_gold(task, results, MODES["ehrsql-2024"])
    assert len(tasks) == 60


def test_known_defects_are_those_golds_of_train_that_give_another_answer(
    results: Results,
) -> None:
    train = load_tasks(DATA / "train")
    known = [task for task in answerable(train.tasks) if task.id in known_defects()]
    assert len(known) == len(known_defects()) == 7
    for task in known:
        gold = run_gold(task, results, MODES["ehrsql-2024"])
        assert gold is not None
        assert "another answer" in check_gold(task, gold)
