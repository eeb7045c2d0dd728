"""The model-free user on the training half of the held-out questions."""

import pytest

from bench.held_out_questions import contains, is_right, score
from wardround.people.clarifying.secret import Answer

# Lower bounds in percent, slightly below the measured values.
REACHED = {"AMB": 90, "LOC": 80, "UNA": 97}


async def test_replies_to_training_questions_reach_their_bounds() -> None:
    right, asked = await score("dev")
    measured = {kind: 100 * right[kind] / asked[kind] for kind in REACHED}
    assert all(measured[kind] >= least for kind, least in REACHED.items()), measured


@pytest.mark.parametrize(
    ("reply", "part", "expected"),
    [
        ("Older than 80.", "80|eighty", True),
        ("Older than 80.5.", "80", False),
        ("Older than 180.", "80", False),
        ("Those who were discharged.", "discharge", True),
        ("Unknown wards.", "known", False),
    ],
)
def test_required_content_begins_a_word(reply: str, part: str, expected: bool) -> None:
    assert contains(reply, part) is expected


@pytest.mark.parametrize(
    ("want", "say", "refused", "right"),
    [
        (["AMB:old"], ["80"], False, True),
        (["AMB:old"], ["90"], False, False),
        (["AMB:old"], ["80"], True, False),
        (["UNA"], [], True, True),
        (["UNA"], [], False, False),
        (["LOC:x", "UNA"], ["90"], True, True),
    ],
)
def test_right_replies(want: list[str], say: list[str], refused: bool, right: bool) -> None:
    answer = Answer("Older than 80.", None, refused=refused)
    assert is_right({"want": want, "say": say}, answer) is right
