"""Second annotation: blind copies, who may write them, and their figures."""

from pathlib import Path

import pytest

from tests.annotation.clinsql.conftest import annotated, counting
from wardround.annotation.clinsql.double_annotation import (
    Agreement,
    leaf_pairs,
    result_agreement,
)
from wardround.annotation.clinsql.store import ItemStore, open_store
from wardround.benchmarks.clinsql.items.result_files import CsvTable, read_csv
from wardround.core.errors import UserError
from wardround.scoring.rubrics.tree import RubricNode


def table(text: str) -> CsvTable:
    return read_csv(text.replace("|", "\n"), "table")


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a,b|1,x|2,y", "b,a|y,2|x,1", "identical"),
        ("n|100", "n|100.9", "near"),
        ("n|100", "n|102", "distinct"),
        ("n|100", "n|100|100", "distinct"),
        ("a,b|1,x", "a,b|1,y", "distinct"),
        ("a,b|1,", "a,b|1,0", "distinct"),
    ],
)
def test_results_are_compared(first: str, second: str, expected: Agreement) -> None:
    assert result_agreement(table(first), table(second)) == expected


def test_a_leaf_of_one_rubric_only_is_absent_in_the_other() -> None:
    women, ages = RubricNode("w", "Only women."), RubricNode("a", "Ages 55 to 65.", critical=True)
    first, second = RubricNode("r", children=(women, ages)), RubricNode("r", children=(women,))
    assert leaf_pairs(first, second) == [("present", "present"), ("critical", "absent")]
    assert leaf_pairs(second, first) == [("present", "present"), ("absent", "critical")]


def test_second_annotators_see_the_question_only_and_worked_on_nothing_else(
    folder: Path, tmp_path: Path, hospital: Path
) -> None:
    store = open_store(folder, str(hospital), counting(), tmp_path / "second")
    id = store.create("Laboratory_Results_Analysis", "medium", "Ada")
    with pytest.raises(UserError, match="validated"):
        store.studies.draw_second(50)
    annotated(store, id)
    store.answer(id, {point.name: True for point in store.form.checklist}, "Dia")
    store.decide(id, "as-is", "", "medium", "Dia")
    assert (store.studies.draw_second(50), store.studies.draw_second(50)) == (1, 0)

    second = open_store(tmp_path / "second", str(hospital), counting())
    copy = second.item(id, "Eve")
    assert {n for n, state in copy.fields.items() if state.text} == {"question"}
    for person in ("Ada", "Ben", "Cem", "Dia"):
        with pytest.raises(UserError, match="did not work"):
            second.save(id, "sql", "SELECT 1", 0, person)
    repeat(second, id)
    [outcomes, agreement] = store.studies.figures()
    assert outcomes.rows[0] == ("Accepted as it is", 1, "100%")
    assert agreement.rows[0] == ("Same result", 1, "100%")
    assert agreement.rows[3][2] == "100%"
    assert agreement.rows[5] == ("Rubrics: pass/fail", 1, "100%")
    store.close()
    second.close()


def repeat(store: ItemStore, id: str) -> None:
    from tests.benchmarks.clinsql.item_samples import GOLD

    texts = {"sql": GOLD, "mapping.tables": "patients", "mapping.columns": "gender"}
    for field, text in texts.items():
        store.save(id, field, text, 0, "Eve")
    store.keep_result(id, "Eve")
    store.finish(id, "Eve")
    for field in ("sql_rubric", "results_rubric"):
        store.save(id, field, store.draft(id, field), 0, "Eve")
    store.finish(id, "Eve")
