"""Descriptions of the schemas that model people answer in; recordings depend on them."""

import pytest
from pydantic import BaseModel

from wardround.people.clarifying.llm_users import Decision
from wardround.people.patient.building.language import Worded
from wardround.people.verification import Revision, Verdict


@pytest.mark.parametrize(
    ("schema", "description"),
    [
        (Verdict, "What the verifier makes of a message."),
        (Revision, "What reflection makes of a rejected message."),
        (
            Decision,
            "What the parser chooses; `number` is that of a list entry, 0 where it is forbidden.",
        ),
        (Worded, "What a patient knows, in the patient's words."),
    ],
)
def test_a_schema_is_described_as_in_earlier_recordings(
    schema: type[BaseModel], description: str
) -> None:
    assert schema.model_json_schema()["description"] == description
