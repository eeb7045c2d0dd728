"""The scripted user: what it says, what it withholds and how it ends, for any seed."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.people.patterns import packaged
from wardround.people.person import Utterance
from wardround.people.scripted_user import ScriptedUser

COUNT = (
    "Your goal is to count patients with certain conditions. Specifically, you want to know how "
    "many patients had asthma. You want only admissions in the past 180 days. You want to "
    "leave out patients below 40 years. You want wards with ties kept. Among them, you want the "
    "ones without a spirometry. You want the answer rounded to two decimals."
)
RAISED = ["asthma", "180 days", "below 40", "ties kept", "spirometry", "two decimals"]

CHECKS = tuple(packaged("user_wordings")["check"])

BRANCHING = (
    "Your goal is to look into a patient's drugs. Specifically, you are interested in patient ID "
    "4711 and want to know when they got warfarin. If warfarin was prescribed, you want its "
    "highest dose. If warfarin was not prescribed, you want to know whether another "
    "anticoagulant was. If such drugs are found, you want the earliest start. If no such drugs "
    "are found, end the conversation. You want the answer in the exact format of the database."
)

REPLIES = [
    "Which one do you mean?",
    "Which table is it in?",
    "Could you write the SQL query?",
    "Could you summarize your goal? Do you mean patients below 40?",
    "Let me look at the tables.",
    "There were 3 patients.",
    "I found no such records.",
    "<answer>zero</answer>",
    "<answer>2100-01-01 10:00:00</answer>",
    "You can now calculate the difference.",
    "",
    "Ünïcode � \n\n ???",
]
LONGEST = 80


def talk(instruction: str, seed: int, replies: list[str]) -> list[Utterance]:
    """All that the user says to an agent that gives these replies over and over."""

    async def live() -> list[Utterance]:
        user = ScriptedUser(instruction, seed)
        utterances = [await user.open()]
        while not utterances[-1].ends and len(utterances) < LONGEST:
            utterances.append(await user.reply(replies[(len(utterances) - 1) % len(replies)]))
        return utterances

    return asyncio.run(live())


def text_of(utterances: list[Utterance]) -> str:
    return "\n".join(utterance.text for utterance in utterances)


seeds = st.integers(0, 2**63 - 1)
agents = st.lists(st.sampled_from(REPLIES), min_size=1, max_size=6)


@given(seeds, agents)
def test_every_piece_is_said_before_the_end(seed: int, replies: list[str]) -> None:
    utterances = talk(COUNT, seed, replies)
    text = text_of(utterances)
    assert all(piece in text for piece in RAISED)
    assert not any(piece in utterances[0].text for piece in RAISED)
    assert all(sum(piece in u.text for piece in RAISED) <= 2 for u in utterances)
    assert utterances[-1] == Utterance("###END###", ends=True)
    assert text.count("###END###") == 1
    checks = [n for n, utterance in enumerate(utterances) if utterance.text.endswith(CHECKS)]
    assert len(checks) == 1
    assert all(piece in text_of(utterances[: checks[0] + 1]) for piece in RAISED)


@given(seeds, agents)
def test_pieces_that_refer_back_keep_their_order(seed: int, replies: list[str]) -> None:
    text = text_of(talk(COUNT, seed, replies))
    assert text.index("ties kept") < text.index("spirometry")


@given(seeds, agents)
def test_same_seed_same_words(seed: int, replies: list[str]) -> None:
    assert talk(COUNT, seed, replies) == talk(COUNT, seed, replies)


def test_seeds_differ_in_words_and_order() -> None:
    texts = {text_of(talk(COUNT, seed, ["There were 3."])) for seed in range(20)}
    orders = {text.index("180 days") < text.index("below 40") for text in texts}
    assert len(texts) == 20
    assert orders == {True, False}


def test_five_seeds_are_five_talks() -> None:
    assert len({text_of(talk(COUNT, seed, ["There were 3."])) for seed in range(5)}) == 5


@given(seeds)
def test_only_reached_branches_are_said(seed: int) -> None:
    got = text_of(talk(BRANCHING, seed, ["<answer>2100-01-01 10:00:00</answer>"]))
    assert "highest dose" in got
    assert "anticoagulant" not in got
    assert "earliest start" not in got
    assert "exact format" in got

    none = text_of(talk(BRANCHING, seed, ["I found no such records."]))
    assert "anticoagulant" in none
    assert "highest dose" not in none
    assert "earliest start" not in none

    asked = ["Which patient?", "Which drug?"]
    missing = [*asked, "It was not prescribed.", *["Dabigatran was given at 10:00."] * 9]
    pivoted = text_of(talk(BRANCHING, seed, missing))
    assert pivoted.index("anticoagulant") < pivoted.index("earliest start")
    assert "highest dose" not in pivoted


@given(seeds)
def test_user_gives_up_on_an_agent_without_results(seed: int) -> None:
    utterances = talk(BRANCHING, seed, ["Let me look at the tables."])
    assert utterances[-1].ends
    assert "warfarin" in text_of(utterances)
    assert "highest dose" not in text_of(utterances)
    assert "anticoagulant" not in text_of(utterances)


@given(seeds)
def test_second_thoughts_at_the_double_check_still_take_the_branch(seed: int) -> None:
    instruction = "You want the count for Lopressor. If it is not found, you want its generic."
    replies = ["Which drug?", "There were 7.", "I was wrong: I found no records.", "There were 9."]
    utterances = talk(instruction, seed, [*replies, "Yes, 9 patients."])
    assert "generic" in text_of(utterances)
    assert utterances[-1].ends


@given(seeds)
def test_report_that_comes_when_the_user_had_given_up_still_takes_the_branch(seed: int) -> None:
    instruction = "You want the count for Lopressor. If it is not found, you want its generic."
    stalls = ["Which drug?", *["I'll look that up."] * 3]
    utterances = talk(
        instruction, seed, [*stalls, "I found no records.", "There were 9.", "Yes, 9."]
    )
    assert utterances[4].text in CHECKS
    assert "generic" in utterances[5].text


@given(seeds)
def test_question_draws_the_piece_it_is_about(seed: int) -> None:
    replies = ["There were 3.", "How many days back should I look?"]
    utterances = talk(COUNT, seed, replies)
    assert "180 days" in utterances[1].text + utterances[2].text


@given(seeds)
def test_withheld_words_wait_for_the_agent(seed: int) -> None:
    instruction = (
        "Your goal is to look into heart drugs. You want the count for Lopressor. You want "
        "metoprolol succinate left out. Do not mention metoprolol until the agent does."
    )
    assert "metoprolol" not in text_of(talk(instruction, seed, ["There were 4 patients."]))
    after = ["Which drug?", "Lopressor is metoprolol; 4 patients got it."]
    assert "metoprolol succinate" in text_of(talk(instruction, seed, after))


@given(seeds)
def test_answer_is_given_only_when_asked(seed: int) -> None:
    instruction = "You want the number of stays. If the agent asks about the year, say it is 2100."
    assert "2100" not in text_of(talk(instruction, seed, ["There were 4 stays."]))
    assert "2100" in text_of(talk(instruction, seed, ["Which year do you mean?"]))


@pytest.mark.parametrize(
    ("asked", "kind"),
    [
        ("Which table is it in?", ["yourself", "find that yourself"]),
        ("Could you write the SQL query?", ["job", "yourself"]),
        ("You can now calculate the difference.", ["final"]),
    ],
)
def test_work_of_the_agent_is_refused(asked: str, kind: list[str]) -> None:
    for seed in range(20):
        answer = talk(COUNT, seed, [asked])[1].text
        assert any(word in answer for word in kind)
        assert not any(piece in answer for piece in RAISED)


def test_only_earlier_statements_are_confirmed() -> None:
    yes = ["Yes.", "Yeah.", "Yes, that's it.", "Right."]
    instruction = "You want to know how many patients had asthma."
    for seed in range(20):
        agreed = talk(instruction, seed, ["Which patients?", "Do you mean patients with asthma?"])
        other = talk(instruction, seed, ["Which patients?", "Do you mean patients with angina?"])
        assert agreed[2].text in yes
        assert other[2].text not in yes
        assert "angina" not in other[2].text


@given(st.text(), seeds, agents)
def test_any_instruction_comes_to_an_end(text: str, seed: int, replies: list[str]) -> None:
    if len(text) < 40:
        assert talk(text, seed, replies)[-1].ends
