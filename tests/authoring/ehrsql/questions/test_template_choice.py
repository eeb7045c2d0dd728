"""The first questions of a template cover all operations and roles of times."""

from collections.abc import Mapping

from wardround.authoring.ehrsql.questions.template_choice import chosen_in_turn, in_turn
from wardround.authoring.ehrsql.templates import (
    QuestionTemplate,
    load_records,
    operations_for,
    templates_for,
    time_choices,
)
from wardround.ehr.times import TimeTemplate
from wardround.ehr.times.model import Visit

RECORDS = load_records("ehrsql_mimic_iv")


def test_first_questions_have_every_operation_and_visit() -> None:
    templates = templates_for(RECORDS)
    assert len(templates) == 170
    assert [each.id for each in templates if not _covers_its_choices(each)] == []


def _covers_its_choices(template: QuestionTemplate) -> bool:
    """True if the first questions have every operation and visit, and no other times."""
    first = [chosen_in_turn(template, RECORDS, "a seed", number) for number in range(30)]
    choices = time_choices(template.times)
    return (
        all(
            {chosen.operations[slot] for chosen in first}
            == {operation.name for operation in operations_for(slot, RECORDS)}
            for slot in template.operations
        )
        and all(chosen.times in choices for chosen in first)
        and {_visit(chosen.times) for chosen in first} == {_visit(choice) for choice in choices}
    )


def test_round_has_each_item_once_in_an_order_by_seed() -> None:
    letters = "abcdefgh"
    turns = [in_turn(letters, "seed", number) for number in range(24)]
    for start in (0, 8, 16):
        assert sorted(turns[start : start + 8]) == sorted(letters)
    assert turns[:8] != turns[8:16]
    assert turns[:8] != [in_turn(letters, "other", number) for number in range(8)]


def _visit(times: Mapping[str, TimeTemplate]) -> str:
    template = times.get("global1")
    return template.id if template and isinstance(template.meaning, Visit) else ""
