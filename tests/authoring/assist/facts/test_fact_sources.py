"""A value has a source only if the source itself says it."""

from tests.cases import for_each
from wardround.authoring.assist.facts.sources import (
    Asked,
    Briefed,
    Cited,
    Computed,
    Quoted,
    Recorded,
    Source,
    Told,
    Transcript,
    is_grounded,
)

NOTE = {"resourceType": "Note", "id": "1", "count": 4, "text": "Warfarin was held."}
TRANSCRIPT = Transcript(
    results={(0, 0): {"entry": [{"resource": NOTE}]}},
    spoken={(1, 0): "I take aspirin."},
    questions=["How is warfarin given?"],
    facts={"age": 70},
)
COUNT, TEXT = "entry.0.resource.count", "entry.0.resource.text"
RECORDED = Recorded(0, 0, "Note/1", COUNT, 4)


@for_each(
    [
        (RECORDED, True),
        (Recorded(0, 0, "Note/1", COUNT, 5), False),
        (Recorded(0, 0, "Note/2", COUNT, 4), False),
        (Recorded(0, 1, "Note/1", COUNT, 4), False),
        (Quoted(0, 0, "Note/1", TEXT, "Warfarin", "warfarin"), True),
        (Quoted(0, 0, "Note/1", TEXT, "Aspirin", "aspirin"), False),
        (Quoted(0, 0, "Note/1", TEXT, "", "warfarin"), False),
        (Quoted(0, 0, "Note/2", TEXT, "Warfarin", "warfarin"), False),
        (Computed("count", (RECORDED,), 4), True),
        (Computed("count", (RECORDED,), 5), False),
        (Computed("count", (Recorded(0, 1, "Note/1", COUNT, 4),), 4), False),
        (Told(1, 0, "I take aspirin.", "good"), True),
        (Told(1, 0, "I stopped.", "self_discontinued"), False),
        (Told(1, 0, "", "good"), False),
        (Told(0, 0, "I take aspirin.", "good"), False),
        (Asked(0, "Warfarin", "warfarin"), True),
        (Asked(0, "aspirin", "aspirin"), False),
        (Asked(0, "", "warfarin"), False),
        (Asked(1, "warfarin", "warfarin"), False),
        (Briefed("age", 70), True),
        (Briefed("age", 71), False),
        (Cited("warfarin_inr", "risk", "bleeding"), True),
        (Cited("warfarin_inr", "risk", "stroke"), False),
    ]
)
def test_a_source_gives_its_value(source: Source, is_given: bool) -> None:
    assert is_grounded(source, TRANSCRIPT) == is_given
