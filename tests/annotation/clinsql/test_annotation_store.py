"""The store of annotated items: saving, conflicts, undo, steps and validation."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.annotation.clinsql.conftest import ITEM, annotated, counting
from tests.cases import one_in
from wardround.annotation.clinsql.events import LOG, Event, append_event, read_events
from wardround.annotation.clinsql.store import ItemStore, open_store
from wardround.annotation.views import FieldState, SaveConflict
from wardround.benchmarks.clinsql.execution import Execution
from wardround.benchmarks.clinsql.tasks import load_tasks
from wardround.core.errors import UserError


def answered(store: ItemStore, id: str, person: str) -> None:
    store.answer(id, {point.name: True for point in store.form.checklist}, person)


def test_a_whole_item_waits_for_a_validator_and_an_empty_one_for_its_question(
    store: ItemStore, new_item: str
) -> None:
    states = {line.id: line.state for line in store.items("Dia", ["validation"])}
    assert states == {ITEM: "validation", new_item: "query"}
    assert [line.id for line in store.items("Dia", ["validation"]) if line.waits] == [ITEM]


def test_an_item_goes_through_all_roles(store: ItemStore, new_item: str, folder: Path) -> None:
    annotated(store, new_item)
    answered(store, new_item, "Dia")
    moved = store.decide(new_item, "as-is", "", "medium", "Dia")
    assert store.item(moved, "Dia").line.state == "validated"
    assert new_item in {task.id for task in load_tasks(folder).tasks}


@pytest.mark.parametrize("person", one_in(2, ["Ada", "Ben", "Cem"]))
def test_no_annotator_validates_the_item(store: ItemStore, new_item: str, person: str) -> None:
    annotated(store, new_item)
    with pytest.raises(UserError, match="wrote no part"):
        store.decide(new_item, "as-is", "", "medium", person)
    with pytest.raises(UserError, match="wrote no part"):
        answered(store, new_item, person)


def test_a_stored_result_that_is_not_the_querys_forbids_validation(store: ItemStore) -> None:
    store.run(ITEM, "Dia")
    answered(store, ITEM, "Dia")
    with pytest.raises(UserError, match="Store the result"):
        store.decide(ITEM, "as-is", "", "easy", "Dia")
    store.keep_result(ITEM, "Dia")
    assert store.decide(ITEM, "as-is", "", "easy", "Dia") == ITEM


def test_a_query_that_did_not_run_forbids_validation(store: ItemStore) -> None:
    answered(store, ITEM, "Dia")
    with pytest.raises(UserError, match="Run the query"):
        store.decide(ITEM, "as-is", "", "easy", "Dia")


def test_a_result_changed_after_its_run_forbids_validation(store: ItemStore, folder: Path) -> None:
    store.keep_result(ITEM, "Dia")
    answered(store, ITEM, "Dia")
    [path] = folder.rglob("result_001.csv")
    path.write_text("admissions,mean_los_days\n999,1.0\n")
    with pytest.raises(UserError, match="Store the result"):
        store.decide(ITEM, "as-is", "", "easy", "Dia")


def test_a_no_in_the_checklist_forbids_acceptance_but_not_rejection(store: ItemStore) -> None:
    store.keep_result(ITEM, "Dia")
    points = [point.name for point in store.form.checklist]
    store.answer(ITEM, {**dict.fromkeys(points, True), points[0]: False}, "Dia")
    with pytest.raises(UserError, match="deny"):
        store.decide(ITEM, "as-is", "", "easy", "Dia")
    with pytest.raises(UserError, match="Justify"):
        store.decide(ITEM, "reject", " ", "easy", "Dia")
    store.decide(ITEM, "reject", "No physician would ask it.", "easy", "Dia")
    assert store.item(ITEM, "Dia").line.state == "rejected"


def test_a_validator_who_changed_the_item_cannot_accept_it_as_it_is(store: ItemStore) -> None:
    store.save(ITEM, "question", "How many?", 1, "Dia")
    store.keep_result(ITEM, "Dia")
    answered(store, ITEM, "Dia")
    with pytest.raises(UserError, match="small changes"):
        store.decide(ITEM, "as-is", "", "easy", "Dia")
    store.decide(ITEM, "minor", "Shortened the question.", "easy", "Dia")


def test_a_confirmed_level_moves_the_item(store: ItemStore, folder: Path) -> None:
    store.keep_result(ITEM, "Dia")
    answered(store, ITEM, "Dia")
    moved = store.decide(ITEM, "as-is", "", "hard", "Dia")
    assert moved == "Vital_Signs_Monitoring/hard/001"
    assert {task.id for task in load_tasks(folder).tasks} == {moved}


def test_a_step_is_finished_only_with_what_it_needs(store: ItemStore, new_item: str) -> None:
    with pytest.raises(UserError, match="Write the question"):
        store.finish(new_item, "Ada")
    store.save(new_item, "question", "How many?", 0, "Ada")
    store.finish(new_item, "Ada")
    with pytest.raises(UserError, match="Record tables"):
        store.finish(new_item, "Ben")


def test_a_field_is_written_at_its_own_step_only(store: ItemStore, new_item: str) -> None:
    with pytest.raises(UserError, match="cannot be changed now"):
        store.save(new_item, "sql", "SELECT 1", 0, "Ben")


def test_of_two_saves_of_one_version_both_texts_stay(store: ItemStore, new_item: str) -> None:
    first = store.save(new_item, "question", "Ada's text", 0, "Ada")
    second = store.save(new_item, "question", "Ben's text", 0, "Ben")
    assert isinstance(first, FieldState)
    assert isinstance(second, SaveConflict)
    assert (second.current.text, second.text) == ("Ada's text", "Ben's text")
    texts = [(r.text, r.note) for r in store.history(new_item, "question")]
    assert texts == [("Ada's text", ""), ("Ben's text", "set aside")]


def test_many_people_saving_at_once_lose_nothing(store: ItemStore, new_item: str) -> None:
    texts = {f"text {n}" for n in range(12)}
    with ThreadPoolExecutor(6) as pool:
        saves = [pool.submit(store.save, new_item, "question", t, 0, t) for t in sorted(texts)]
        results = [save.result() for save in saves]
    assert sum(isinstance(each, FieldState) for each in results) == 1
    assert {revision.text for revision in store.history(new_item, "question")} == texts


def test_undo_goes_back_version_by_version(store: ItemStore, new_item: str) -> None:
    for version, text in enumerate(["one", "two", "three"]):
        store.save(new_item, "question", text, version, "Ada")
    seen = []
    for _ in range(2):
        version = store.item(new_item, "Ada").fields["question"].version
        store.undo(new_item, "question", version, "Ada")
        seen.append(store.item(new_item, "Ada").fields["question"].text)
    assert seen == ["two", "one"]
    with pytest.raises(UserError, match="nothing to undo"):
        store.undo(new_item, "question", 5, "Ada")


def test_a_file_changed_elsewhere_is_a_new_version(store: ItemStore, folder: Path) -> None:
    before = store.item(ITEM, "Dia").fields["question"].version
    [path] = folder.rglob("query_001.txt")
    path.write_text("Another question?")
    conflict = store.save(ITEM, "question", "Mine?", before, "Dia")
    assert isinstance(conflict, SaveConflict)
    assert conflict.current.text == "Another question?"


def test_a_restarted_page_has_everything(
    store: ItemStore, new_item: str, folder: Path, hospital: Path
) -> None:
    annotated(store, new_item)
    again = open_store(folder, str(hospital), counting())
    assert again.item(new_item, "Dia") == store.item(new_item, "Dia")
    assert again.history(new_item) == store.history(new_item)
    again.close()


def test_an_item_is_sent_back_with_a_reason(store: ItemStore, new_item: str) -> None:
    annotated(store, new_item)
    with pytest.raises(UserError, match="Say why"):
        store.send_back(new_item, "sql", "", "Dia")
    store.send_back(new_item, "sql", "Count stays, not admissions.", "Dia")
    view = store.item(new_item, "Ben")
    assert view.line.state == "sql"
    assert "Count stays" in view.comments[-1].text


def test_files_are_readable_by_their_owner_only(
    store: ItemStore, new_item: str, folder: Path
) -> None:
    annotated(store, new_item)
    item = folder / "Laboratory_Results_Analysis" / "medium_level_queries" / "001"
    assert {stat.S_IMODE(path.stat().st_mode) for path in item.iterdir()} == {0o600}


def test_without_a_database_nothing_runs(folder: Path) -> None:
    with pytest.raises(UserError, match="--database"):
        open_store(folder, None, counting()).run(ITEM, "Dia")


def test_codes_are_looked_up_by_words(store: ItemStore) -> None:
    found = store.look_up("labs", "creatinine")
    assert found.columns[0] == "itemid"
    assert all("creatinine" in str(row[1]).lower() for row in found.rows)
    assert not store.look_up("diagnoses", "'; DROP TABLE x; --").failed


def test_the_record_is_that_of_the_anchor_patient(store: ItemStore, new_item: str) -> None:
    with pytest.raises(UserError, match="no anchor"):
        store.record(new_item)
    subject = store.run(
        new_item, "Ada", "SELECT MIN(subject_id) AS id FROM mimiciv_3_1_hosp.patients"
    ).rows[0][0]
    store.save(new_item, "anchor", str(subject), 0, "Ada")
    record = store.record(new_item)
    assert not any(table.failed for table in record)
    assert len(record[0].rows) == 1


def test_a_preview_scores_all_gradings(store: ItemStore) -> None:
    rubric = store.item(ITEM, "Dia").fields["results_rubric"].text
    leaves = frozenset({"csv-file-exists", "column", "plausible"})
    assert {p.score for p in store.preview("results_rubric", rubric, leaves, True)} == {1.0}
    failed = {p.grading: p.score for p in store.preview("results_rubric", rubric, leaves, False)}
    assert failed["strict"] == 0
    none = store.preview("results_rubric", rubric, frozenset(), True)
    assert {p.grading: round(p.score, 3) for p in none}["paper-17"] == 0.167


def test_a_draft_names_cohort_joins_and_measures(store: ItemStore) -> None:
    draft = json.loads(store.draft(ITEM, "sql_rubric"))
    assert [section["id"] for section in draft["sub_tasks"]] == [
        "patient-cohort-construction",
        "database-integration",
        "clinical-analytics",
    ]
    assert "p.gender = 'F'" in draft["sub_tasks"][0]["sub_tasks"][0]["requirements"]


def test_a_long_query_holds_nobody_up(
    store: ItemStore, new_item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Others save while it runs; a query that changed meanwhile has no recorded run."""
    annotated(store, new_item)
    store.send_back(new_item, "sql", "Look again.", "Dia")
    executions = store._executions
    assert executions is not None
    outcome = executions.of("SELECT 1 AS one")

    def slow(sql: str) -> Execution:
        store.save(new_item, "sql", "SELECT 2 AS two", 1, "Ben")
        return outcome

    monkeypatch.setattr(executions, "of", slow)
    with pytest.raises(UserError, match="changed meanwhile"):
        store.keep_result(new_item, "Ben")
    assert store.item(new_item, "Ben").fields["sql"].text == "SELECT 2 AS two"


TORN = b'{"kind":"commented","by":"Ada","at":"2150-01-01T00:0'


def test_a_torn_last_line_of_the_log_is_set_aside(tmp_path: Path) -> None:
    first = Event(kind="commented", by="Ada", at="2150-01-01T00:00:00", text="One.")
    append_event(tmp_path, first)
    log = tmp_path / LOG
    log.write_bytes(log.read_bytes() + TORN)
    assert read_events(tmp_path) == [first]
    append_event(tmp_path, first)
    assert read_events(tmp_path) == [first, first]
    assert (tmp_path / f"{LOG}.damaged").read_bytes() == TORN + b"\n"


def test_a_last_line_without_its_end_is_kept(tmp_path: Path) -> None:
    first = Event(kind="commented", by="Ada", at="2150-01-01T00:00:00", text="One.")
    append_event(tmp_path, first)
    log = tmp_path / LOG
    log.write_bytes(log.read_bytes().rstrip())
    append_event(tmp_path, first)
    assert read_events(tmp_path) == [first, first]


def test_a_damaged_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    first = Event(kind="commented", by="Ada", at="2150-01-01T00:00:00", text="One.")
    (tmp_path / LOG).write_bytes(TORN + b"\n")
    append_event(tmp_path, first)
    with pytest.raises(UserError, match="line 1 is damaged"):
        read_events(tmp_path)
