import asyncio
import gzip
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import orjson
import pytest

from tests.cases import one_in
from wardround.agents.parser.talk import conversation_agent
from wardround.benchmarks.chatqa.environment import ChatEnvironment
from wardround.benchmarks.chatqa.tools import chat_tools, sql_tool
from wardround.core.limits import Limits
from wardround.core.loop import Ending, Turns, converse
from wardround.core.task import Briefing
from wardround.core.tools import Toolbox
from wardround.core.trajectory import Called, Returned, Said, Trajectory, to_json
from wardround.ehr.database import Database, open_database
from wardround.ehr.database.interface import too_late
from wardround.ehr.schema import create_statements, load_schema
from wardround.ehr.terms import reference
from wardround.ehr.values import ValueIndexes
from wardround.people.person import Utterance

NOW = "2100-12-31 23:59:00"
REAL = Path(__file__).parents[3] / "../shared/data/ehrsql-2024/mimic_iv_star.sqlite.gz"


class Reader:
    """A user with fixed turns."""

    def __init__(self, turns: list[str]) -> None:
        self._turns = iter(turns)

    async def open(self) -> Utterance:
        return Utterance(next(self._turns))

    async def reply(self, wording: str) -> Utterance:
        turn = next(self._turns, None)
        return Utterance("", ends=True) if turn is None else Utterance(turn)


def talk(
    database: Database, turns: list[str], flow: str = "incre", questions: str = ""
) -> Trajectory:
    """Runs the agent with a user with these turns and returns the trajectory."""
    facts = {"flow": flow, "database": "any", "dialect": "sqlite", "current_time": NOW}
    facts |= {"questions": questions} if questions else {}
    sql = sql_tool(database, 60.0, lambda query, result: None)
    tools = Toolbox([*chat_tools(database, ValueIndexes(database), reference), sql])
    briefing = Briefing("", tools.specs, facts)
    environment = ChatEnvironment(briefing, Reader(turns), tools)
    agent = conversation_agent(briefing)
    trajectory = Trajectory()
    ending = asyncio.run(converse(agent, Turns(environment, trajectory, Limits())))
    assert ending is Ending.FINISHED, trajectory.events[-1]
    return trajectory


def last_rows(trajectory: Trajectory) -> list[list[object]]:
    """The rows of the last query."""
    results = [e for e in trajectory.events if isinstance(e, Returned) and e.tool == "sql_execute"]
    rows: list[list[object]] = orjson.loads(results[-1].text)["rows"]
    return rows


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    statements = create_statements(load_schema("mimic_iv_star"))
    statements.append(
        (Path(__file__).parent / "fixtures" / "small_hospital.sql").read_text("utf-8")
    )
    path = tmp_path_factory.mktemp("small") / "small.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(";".join(statements))
    connection.close()
    database = open_database(path)
    yield database
    database.close()


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    if not REAL.exists():
        pytest.skip("no MIMIC-IV demo: the agent does not talk about it")
    path = tmp_path_factory.mktemp("real") / "mimic_iv_star.sqlite"
    with gzip.open(REAL) as packed, path.open("wb") as unpacked:
        shutil.copyfileobj(packed, unpacked)
    database = open_database(path)
    yield database
    database.close()


ASKED = [
    (["I want to know the average length of stay of admissions covered by Medicare."], [[4.0]]),
    (["How many patients were diagnosed with high blood pressure?"], [[2]]),
    (["How many patients have hypertension?", "Only women."], [[1]]),
    (["How many patients were prescribed Lasix?", "In the past 45 days."], [[1]]),
    (["How many patients were prescribed furosemide?", "Without a diagnosis of hyperlipidemia."],
     [[1]]),
    (["What is the lowest Hb value of patient 1001?", "Sorry, I meant 10000001."], [[None]]),
    (["How many admissions were there since July 2100?"], [[2]]),
    (["How many patients had a hemoglobin below 8?"], [[1]]),
    (["What are the top 1 most common diagnoses?"], [["essential (primary) hypertension"]]),
    (["How many patients died?"], [[1]]),
    (["What percentage of patients diagnosed with hypertension died?"], [[50.0]]),
    (["What is the total cost of lab tests?"], [[10.5]]),
    (["How many patients were prescribed statins?"], [[1]]),
    (["How many patients were prescribed furosemide after a diagnosis of hyperlipidemia?"], [[1]]),
    (["How many patients were prescribed simvastatin after a diagnosis of hypertension?"], [[0]]),
    (["How many patients were prescribed furosemide?",
      "Only those with a hemoglobin below 12 in the same hospital stay."], [[1]]),
    (["How many patients admitted in the past 90 days have a family history of breast cancer?"],
     [[1]]),
    (["How many stays were there?", "Only those that lasted more than three days."], [[1]]),
    (["How many stays were there?", "Leave out stays that ended with the patient's death."], [[2]]),
    (["What share of hospital stays ended with discharge home?", "Only people of 60 and above."],
     [[0.5]]),
    (["How many patients had a hemoglobin below 12?", "Their last hemoglobin must be above 8."],
     [[0]]),
    (["How many patients came back to the hospital within 200 days of discharge?"], [[1]]),
    (["How many patients came back to the hospital within 30 days of discharge?"], [[0]]),
    (["How many patients were prescribed furosemide?", "They must never have had simvastatin."],
     [[1]]),
    (["Which organisms grew in urine?", "Only in men."], [["yeast"]]),
    (["How many patients had E. coli grow in blood?", "The same germ must have grown in urine "
      "during the same stay."], [[0]]),
    (["How many patients were given furosemide by mouth?"], [[1]]),
    (["Which medicine was ordered most often?", "Only for patients who also got simvastatin in "
      "the same hospital stay."], [["simvastatin"]]),
    (["What was charged per hospital stay on average?"], [[14.5]]),
    (["Who had a hemoglobin of 9 or more?", "Only those aged between 55 and 65."], [[2]]),
    (["How many patients had hypertension or hyperlipidemia?", "Only women."], [[1]]),
    (["How many stays were there?", "No one under 60 years of age."], [[2]]),
    (["How many stays were there?", "I don't want patients aged 61 and over."], [[2]]),
    (["How many patients had hypertension and a hemoglobin below 8 in one stay?",
      "Set the hemoglobin aside."], [[2]]),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "rows"), one_in(2, ASKED), ids=lambda value: str(value)[:50])
def test_last_query_gives_the_answer(
    small: Database, turns: list[str], rows: list[list[object]]
) -> None:
    assert last_rows(talk(small, turns)) == rows


def last_reply(trajectory: Trajectory) -> str:
    return trajectory.said_by("agent")[-1]


def test_generic_name_replaces_a_missing_brand(small: Database) -> None:
    first = "How many patients were prescribed Lasix? Answer in words."
    trajectory = talk(small, [first, "If there are none, look for the generic name."], "adapt")
    assert "Nothing was found" in trajectory.said_by("agent")[0]
    assert "<answer>two</answer>" in last_reply(trajectory)


def test_alternative_test_replaces_a_missing_one(small: Database) -> None:
    turns = ["I'm interested in the latest troponin I value.", "I can't say more."]
    trajectory = talk(small, [*turns, "If there is none, use an alternative lab test."], "adapt")
    assert "Nothing was found" in trajectory.said_by("agent")[1]
    assert "<answer>0.4</answer>" in last_reply(trajectory)


def test_patient_is_asked_for_once(small: Database) -> None:
    trajectory = talk(small, ["What was the latest hemoglobin?", "No idea.", "Are you sure?"])
    question, *answered = trajectory.said_by("agent")
    assert "Which patient" in question
    assert not any("Which patient" in text for text in answered)


def test_ambiguous_test_is_asked_about(small: Database) -> None:
    trajectory = talk(small, ["How many patients had an osmolality level above 280?", "In urine."])
    question, answered = trajectory.said_by("agent")
    assert "osmolality, measured and osmolality, urine" in question
    assert "osmolality, urine" in answered
    assert last_rows(trajectory) == [[1]]


def test_vague_words_are_answered_by_a_question(small: Database) -> None:
    trajectory = talk(small, ["Which patients are interesting?"])
    assert "?" in last_reply(trajectory)
    assert not trajectory.calls("sql_execute")


def test_condition_is_dropped(small: Database) -> None:
    turns = ["How many patients had hypertension with a hemoglobin below 8 in one stay?"]
    trajectory = talk(small, [*turns, "Drop the hemoglobin and keep the hypertension."])
    assert last_rows(trajectory) == [[2]]


def test_what_the_records_do_not_hold_is_said(tmp_path: Path) -> None:
    path = tmp_path / "deathless.sqlite"
    statements = create_statements(load_schema("omop_5_4"))
    statements += ["DROP TABLE death", "CREATE TABLE death (column0 TEXT)"]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";".join(statements))
    with closing(open_database(path)) as database:
        trajectory = talk(database, ["How many patients have died?"])
    assert "does not hold all that this needs" in last_reply(trajectory)
    assert not trajectory.calls("sql_execute")


def test_missing_table_is_explained(small: Database) -> None:
    trajectory = talk(small, ["How many patients are in the cancer registry?"])
    assert "no separate table for cancer" in last_reply(trajectory)
    assert not trajectory.calls("sql_execute")


def test_vague_opening_is_answered_by_a_question(small: Database) -> None:
    trajectory = talk(small, ["I want to know how many patients have certain conditions."])
    assert last_reply(trajectory).endswith("in mind.")
    assert not trajectory.calls("sql_execute")


@pytest.mark.parametrize(
    "opening",
    [
        "I'm trying to count patients with a heart rhythm problem.",
        "I'd like to look into how long people stay.",
        "I need to find out whether somebody got a stomach medicine. Where do we start?",
    ],
)
def test_opening_without_clinical_term_is_answered_by_a_question(
    small: Database, opening: str
) -> None:
    trajectory = talk(small, [opening])
    assert "?" in last_reply(trajectory)
    assert not trajectory.calls("sql_execute")


def test_opening_with_clinical_term_is_answered(small: Database) -> None:
    assert last_rows(talk(small, ["I want to count patients with hypertension."])) == [[2]]


def test_tentative_opening_is_replaced_by_a_goal(small: Database) -> None:
    opening = "I'm trying to count patients with a heart rhythm problem."
    trajectory = talk(small, [opening, "I want to know how many patients had high blood pressure."])
    assert last_rows(trajectory) == [[2]]


def test_tentative_opening_is_dropped_if_a_term_follows(small: Database) -> None:
    opening = "I'm trying to count patients with a heart rhythm problem."
    trajectory = talk(small, [opening, "Only those prescribed Lasix."])
    assert last_rows(trajectory) == [[2]]


def test_tentative_opening_is_asked_about_if_alone(small: Database) -> None:
    trajectory = talk(
        small, ["I want to count patients with a heart rhythm problem.", "Only women."]
    )
    assert "'heart rhythm problem'" in last_reply(trajectory)
    assert not trajectory.calls("sql_execute")


def test_check_of_an_empty_answer_reports_no_result(small: Database) -> None:
    turns = ["When was patient 10000001 prescribed furosemide?", "Can you double check that?"]
    trajectory = talk(small, turns, "adapt")
    assert "Nothing was found" in last_reply(trajectory)
    assert "<answer>" not in last_reply(trajectory)


def test_specimen_and_organism_are_of_the_same_record(small: Database) -> None:
    trajectory = talk(small, ["How many patients had E. coli grow in a urine culture?"])
    assert last_rows(trajectory) == [[1]]


def test_unknown_term_is_named(small: Database) -> None:
    trajectory = talk(small, ["How many patients were diagnosed with zorbitis?"])
    assert "'zorbitis'" in last_reply(trajectory)


def test_schema_is_read_once_and_sql_is_not_shown(small: Database) -> None:
    trajectory = talk(small, ["How many patients have hypertension?", "Only men.", "Are you sure?"])
    looked = [str(e.arguments) for e in trajectory.calls("column_search")]
    assert len(looked) == len(set(looked)) > 0
    assert len(trajectory.calls("table_search")) == 1
    assert len(trajectory.calls("sql_execute")) == 2
    assert not any("SELECT" in wording for wording in trajectory.said_by("agent"))


def test_conversations_are_independent_and_repeatable(small: Database) -> None:
    turns = ["How many patients have hypertension?", "Only those prescribed furosemide."]
    before = talk(small, turns)
    talk(small, ["How many patients died?"])
    assert to_json(talk(small, turns)) == to_json(before)


def test_the_paper_s_incremental_sample_gives_its_answer(real: Database) -> None:
    trajectory = talk(
        real,
        [
            "I'm trying to find out how many hospital patients meet certain criteria.",
            "Those admitted in the past 90 days.",
            "They should have a family history of breast cancer.",
            "Can you double check that your answer covers all my goals?",
        ],
    )
    assert last_rows(trajectory) == [[1]]


def test_the_paper_s_adaptive_sample_gives_its_answer(real: Database) -> None:
    trajectory = talk(
        real,
        [
            "I'm exploring medication prescriptions for patient ID 10008287.",
            "When was carbamazepine most recently prescribed for epilepsy, after the first "
            "epilepsy diagnosis?",
            "If it wasn't prescribed, was any other class of medication for epilepsy? Then I "
            "want the most recent prescription time after the first epilepsy diagnosis.",
            "Double check that, in the exact time format recorded in the database.",
        ],
        "adapt",
    )
    assert "Nothing was found" in trajectory.said_by("agent")[1]
    assert "<answer>2100-10-12 20:00:00</answer>" in last_reply(trajectory)
    assert len(list(trajectory.actions())) <= 30
    assert isinstance(trajectory.events[1], Called)


class Failing:
    """A database driver of which the statements fail from some call on, for some calls."""

    def __init__(self, driver: Any, first: int, failing: int) -> None:
        self._driver, self._left, self._failing = driver, first, failing

    def __getattr__(self, name: str) -> Any:
        return getattr(self._driver, name)

    def run(self, *arguments: Any) -> Any:
        self._left -= 1
        if -self._failing <= self._left < 0:
            raise too_late(5)
        return self._driver.run(*arguments)


@pytest.mark.parametrize("first", range(4))
def test_a_statement_that_fails_is_no_absence(small: Database, first: int) -> None:
    question = "How many patients were prescribed furosemide?"
    database = Database(Failing(small.driver, first, 1))
    said = [
        event.text
        for event in talk(database, [question, question]).events
        if isinstance(event, Said) and event.speaker == "agent"
    ]
    faults = [text for text in said if "could not be asked" in text]
    assert all("The answer is 2." in text for text in said if text not in faults), said
    assert len(faults) == 1, said


FUROSEMIDE = "How many patients were prescribed furosemide?"
HYPERTENSION = "How many patients have hypertension?"
STAY = "What is the average length of stay?"
SEVERAL = [
    # Each turn, and how the reply to it begins.
    ([FUROSEMIDE, "The answer is 2. I looked for patients; prescriptions of furosemide."],
     [HYPERTENSION, "The answer is 2. I looked for patients; diagnoses of hypertension"]),
    ([HYPERTENSION, "The answer is 2."], ["And how many of them are women?", "The answer is 1."]),
    ([FUROSEMIDE, "The answer is 2."], ["And simvastatin?", "The answer is 1."]),
    ([FUROSEMIDE, "The answer is 2."], ["Thank you.", "You can ask how many patients"]),
    ([HYPERTENSION, "The answer is 2."], [STAY, "Do you ask this of those from before (patients;"],
     ["Of all.", "The answer is 2.3611 days. I looked for hospital admissions; the average len"]),
    ([HYPERTENSION, "The answer is 2."], [STAY, "Do you ask this of those from before (patients;"],
     ["Of those.", "The answer is 2.2917 days. I looked for"]),
    (["How many patients have hypertension of the knee?", "I did not understand 'knee'"],
     ["leave it out", "The answer is 2."]),
    (["How many patients have hypertension of the knee?", "I did not understand 'knee'"],
     [FUROSEMIDE, "The answer is 2. I looked for patients; prescriptions of furosemide."]),
    (["How long was the last hospital stay of patient 1?", "The answer is"],
     ["What was the hemoglobin then?", "I did not understand 'then'"]),
    (["When was patient 1 first discharged?", "The answer is 2100-"],
     ["What about the hemoglobin?", "I did not understand what to change"]),
    (["And simvastatin?", "No question before this one was answered."],),
    ([FUROSEMIDE, "The answer is 2."], ["And sodium?", "I did not understand what to change"]),
    (["Did patient 1 get any diagnoses in the last hospital stay?", "The answer is yes."],),
    (["When was patient 2 first discharged?", "The answer is 2100-06-03"],
     ["The last time?", "The answer is 2100-12-02"]),
    (["Was patient 1 prescribed furosemide?", "The answer is yes."],
     ["Or simvastatin?", "The answer is no. Nothing was found"]),
    ([HYPERTENSION, "The answer is 2."],
     ["How many patients have hypertension of the knee?", "I did not understand 'knee'"],
     ["How many of them are women?", "The question before this one was not answered,"]),
    (["How many of them are women?", "No question before this one was answered."],),
    (["Is patient 1 hypertensive?", "I did not understand 'hypertensive'"],
     ["What was the lowest hemoglobin?", "The question before this one was not answered,"],
     [HYPERTENSION, "The answer is 2."]),
    (["What is the median hemoglobin of patient 1?", "The answer is 8.5."],),
    (["What was the hemoglobin of patient 1 on admission?", "I did not understand 'admission'"],),
    ([f"{FUROSEMIDE[:-1]}, and how many of them died?", "This asks more than one thing."],),
    (["When was patient 1 last discharged, and where to?", "This asks more than one thing."],),
    ([f"{FUROSEMIDE} When was the first?", "This asks more than one thing."],),
    (["How many patients who had hypertension and who are women took furosemide?", "The answer"],),
    (["How many patients are in the ICU now?", "I did not understand 'now'"],),
    (["What is the last hemoglobin of patient 1?", "The answer is 7.5."],
     ["Is that normal?", "I did not understand 'normal'"],
     ["And the first?", "The question before this one was not answered,"]),
    ([HYPERTENSION, "The answer is 2."],
     ["How many were dizzy?", "I did not understand 'dizzy'"],
     ["of furosemide", "The question before this one was not answered,"],
     ["or women", "The question before this one was not answered,"]),
    ([HYPERTENSION, "The answer is 2."],
     ["How many were dizzy women?", "I did not understand 'dizzy'"],
     ["leave it out", "The answer is 1. I looked for patients by sex of women"]),
    (["How dizzy was patient 2?", "I did not understand 'dizzy'"],
     ["The stays in June 2100?", "The question before this one was not answered,"],
     ["Patient 1, the stay of May 2100", "The question before this one was not answered,"]),
    (["When was patient 3 last admitted?", "Nothing was found"],
     ["Oops, patient 1", "I did not understand 'oops'"],
     ["What was the lowest hemoglobin?", "The question before this one was not answered,"],
     ["What was the lowest hemoglobin of patient 1?", "The answer is 7.5. I looked for lab res"]),
    ([HYPERTENSION, "The answer is 2."],
     ["And sodium?", "I did not understand what to change"],
     ["And furosemide?", "The question before this one was not answered,"]),
    (["How many patients grew S. aureus in their blood?", "Nothing was found: the culture"],),
    ([HYPERTENSION, "The answer is 2."],
     ["Which of these people also got simvastatin or furosemide?", "The answer is 1, 2. I looked "
      "for patients; diagnoses of hypertension (recorded as essential (primary) hypertension); "
      "prescriptions of simvastatin or prescriptions of furosemide."]),
    ([HYPERTENSION, "The answer is 2."],
     ["Which of them are women?", "The answer is 1. I looked for patients by sex of women"]),
    (["How long are people in the ED?", "I did not understand 'how long', 'ed'"],),
    (["How many hours do people spend in the emergency department?", "I did not understand 'em"],),
    (["When was patient 1 last admitted?", "The answer is 2100"],
     ["How many weeks did she take furosemide?", "I did not understand 'how many weeks'"]),
    (["How many times was patient 2 admitted?", "The answer is 2. I looked for hospital admi"],),
    (["How many times was patient 1 given furosemide?", "The answer is"],
     ["How often was she hospitalized?", "The answer is 1. I looked for hospital admissions"]),
    (["How many times was patient 2 seen?", "I did not understand the question."],),
    (["How often were they there?", "No question before this one was answered."],),
    (["How many patients have hypertension and were prescribed furosemide?", "The answer is 2."],
     ["And simvastatin too?", "The answer is 1. I looked for patients; diagnoses of"],
     ["How many other patients were there?", "I did not understand 'other'"]),
    (["What percentage of patients with hypertension took furosemide?", "The answer is 100"],
     ["And simvastatin?", "The answer is 50"]),
    (["Did patient 1 have a positive urine culture?", "The answer is yes."],
     ["Were they given furosemide?", "The answer is yes. I looked for prescriptions of"]),
    (["What is the average age of the patients with hypertension?", "The answer is 55.5"],),
    ([HYPERTENSION, "The answer is 2."], [STAY, "Do you ask this of those from before (patients;"],
     ["What was the last hemoglobin of those?", "The question before this one was not answered,"]),
    (["How many women have hypertension?", "The answer is 1."],
     ["How many men?", "Do you ask this of those from before"], ["Of those.", "The answer is 1."]),
    ([FUROSEMIDE, "The answer is 2."],
     ["Of those, who has died?", "The answer is 2. I looked for patients by death;"]),
    ([FUROSEMIDE, "The answer is 2."],
     ["Same for simvastatin", "The answer is 1. I looked for patients; prescriptions of simva"]),
    ([FUROSEMIDE, "The answer is 2."],
     ["How many of them died in the hospital?", "The answer is 1. I looked for patients; "
      "prescriptions of furosemide at any time; hospital admissions by destination"]),
    (["When was patient 2 last admitted?", "The answer is 2100"],
     ["How many hours did she stay that time?", "The answer is"]),
    (["How many women have hypertension?", "The answer is 1."],
     ["What percentage of all the women is that?", "The answer is 100.0. I looked for patients by "
      "sex of women (recorded as f); among them those with diagnoses of hypertension"]),
    (["Which patients had a DNR order?", "I did not understand"],
     ["Thank you", "You can ask how many patients"]),
    (["How many patients have no ICU stay?", "The answer is"],),
    (["How many patients got furosemide in the ICU?", "The answer is"],
     ["And simvastatin?", "The answer is 0. Nothing was found in the records for this: patients; "
      "prescriptions of simvastatin during an ICU stay."]),
    (["How many patients died in the ICU?", "I know who was there, but not what"],),
    (["Which patients have furosemide?", "The answer is 1, 2."],
     ["How many of them are women?", "The answer is 1."]),
    ([FUROSEMIDE, "The answer is 2."],
     ["By mouth?", "The answer is 1."], ["Intravenously?", "I am not sure if you ask for presc"]),
    (["How many women were discharged in 2100?", "I did not understand 'discharged', 'in 2100'"],),
    (["Was patient 2 given anything by mouth?", "The answer is yes."],
     ["And intravenously?", "The answer is no. Nothing was found in the records for this: "
      "prescriptions by route of intravenously (recorded as iv); patient 2."]),
    (["What was the last osmolality level of patient 2?", "There are several lab results"],
     ["The urine one.", "The answer is 500.0. I looked for lab results of osmolality (recorded as "
      "osmolality, urine); patient 2; the last value."]),
    (["Hello", "You can ask how many patients or stays there are"],
     ["How many women have hypertension?", "The answer is 1."]),
    (["What can I ask you?", "You can ask how many patients or stays there are"],),
    (["How many patients over 100 have hypertension?", "The answer is 0. Nothing was found"],
     ["And under 60?", "The answer is 1."], ["Which ones?", "The answer is 1"],
     ["How many are they?", "The answer is 1."], ["And without?", "The answer is"]),
    (["What was the highest hemoglobin of patient 1?", "The answer is 9.5."],
     ["When was that?", "The answer is 2100-"], ["And the lowest?", "The answer is 2100-"]),
    (["What was the highest hemoglobin of patient 1?", "The answer is 9.5."],
     ["And the lowest?", "The answer is 7.5."], ["The second?", "I did not understand 'second'"]),
    (["How many admissions were there in June 2100?", "The answer is 1."],
     ["In December?", "The answer is 1."], ["In Junuary?", "I did not understand 'junuary'"]),
    ([HYPERTENSION, "The answer is 2."],
     ["Forget that. How many patients took simvastatin?", "The answer is 1. I looked for pat"]),
]  # fmt: skip


@pytest.mark.parametrize("turns", one_in(3, SEVERAL), ids=lambda turns: turns[-1][0])
def test_a_person_may_ask_several_questions(small: Database, turns: tuple[list[str], ...]) -> None:
    events = talk(small, [turn for turn, _ in turns], questions="many").events
    said = [event.text for event in events if isinstance(event, Said) and event.speaker == "agent"]
    for reply, (_, begins) in zip(said, turns, strict=True):
        assert reply.startswith(begins)


def test_a_yes_rests_on_the_records_of_the_thing_that_is_named(small: Database) -> None:
    trajectory = talk(small, ["Has patient 2 ever been given furosemide?"], questions="many")
    assert last_rows(trajectory) == [[1]]


def test_a_list_that_was_cut_off_says_so(tmp_path: Path) -> None:
    path = tmp_path / "many.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(";".join(create_statements(load_schema("mimic_iv_star"))))
        for n in range(101):
            values = (n, n, "f", "2050-01-01", None)
            connection.execute("INSERT INTO demographics VALUES (?, ?, ?, ?, ?)", values)
        connection.commit()
    with closing(open_database(path)) as database:
        said = last_reply(talk(database, ["List the patients who are women."], questions="many"))
    assert "and more than 80 others. I looked for" in said


@pytest.mark.parametrize(("year", "is_outside"), [("2031", True), ("2150", True), ("2100", False)])
def test_a_period_outside_of_the_records_is_said(
    small: Database, year: str, is_outside: bool
) -> None:
    asked = f"How many women were prescribed simvastatin in {year}?"
    trajectory = talk(small, [asked], questions="many")
    said = last_reply(trajectory)
    assert last_rows(trajectory) == [[0]]
    assert said.startswith("The answer is 0. Nothing was found")
    assert ("prescriptions of this database are from the years 2100 to 2100" in said) == is_outside
