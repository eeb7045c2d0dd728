"""Sources, keys, compared columns and removals, which a user can be asked about."""

import pytest

from tests.cases import for_each
from tests.people.clarifying.secrets import cases, secrets
from wardround.people.clarifying import ModelFree
from wardround.people.clarifying.candidates import candidate_of, candidates
from wardround.people.clarifying.further_fragments import FURTHER_ASPECTS, further_fragments
from wardround.people.clarifying.packaged import packaged
from wardround.people.clarifying.secret import Ambiguity, Located, Secret

SECRETS = secrets()


@for_each(cases("further_fragments.tsv"))
def test_further_fragments(sql: str, pieces: str) -> None:
    found = [f"{fragment.aspect} {fragment.sql}" for fragment in further_fragments([sql])]
    assert "; ".join(found) == pieces


def test_every_further_aspect_has_a_reply() -> None:
    assert set(FURTHER_ASPECTS) <= set(packaged("replies"))


@for_each(SECRETS)
def test_choice_of_a_further_fragment_finds_its_candidate(task: str) -> None:
    secret = SECRETS[task]
    for candidate in candidates(secret):
        if candidate.aspects[0] in FURTHER_ASPECTS and isinstance(candidate.choice, Located):
            assert candidate_of(candidate.choice, secret) == candidate


DISCHARGED = Secret(
    "Which patients went home recently?",
    "",
    (
        "SELECT DISTINCT subject_id FROM admissions "
        "WHERE discharge_location = 'home' AND dischtime >= '2100-04-01'",
    ),
    (Ambiguity("recently", "semantic", ("dischtime >= '2100-04-01'",), meaning="Since April."),),
)


@pytest.mark.parametrize(
    ("question", "content"),
    [
        ("Does the period go by the date of admission or that of discharge?", "discharge"),
        ("By which date do I go, arrival or discharge?", "discharge"),
    ],
)
async def test_column_that_an_ambiguity_compares_can_be_asked_about(
    question: str, content: str
) -> None:
    answer = await ModelFree(DISCHARGED).clarify(question, frozenset())
    assert content in answer.text
