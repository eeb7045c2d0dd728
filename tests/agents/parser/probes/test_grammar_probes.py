"""The grammar on the development probes: it answers rightly, or refuses."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.agents.parser.probes.hospitals import make_hospital
from tests.agents.parser.probes.test_probes import FOLDER, read_probes
from wardround.agents.parser.columns import column_types
from wardround.agents.parser.grammar.grammar import Composed, Grammar, NotComposed, read_grammar
from wardround.agents.parser.grammar.lexicon import lexicon
from wardround.ehr.database import Database, open_database
from wardround.ehr.times import substitute_words

NOW = {"current_time": "'2100-12-31 23:59:00'"}

# The number of questions that it answers, and of random words that it composes.
COMPOSED = {"iv": 89, "star": 87, "eicu": 96}
ANSWERED = {
    "development": {"iv": 48, "star": 47, "eicu": 47},
    "plain_seen": {"iv": 12, "star": 8, "eicu": 11},
    "plain_unread": {"iv": 9, "star": 11, "eicu": 9},
}


HOSPITALS = ("iv", *(pytest.param(name, marks=pytest.mark.slow) for name in ("star", "eicu")))


@pytest.fixture(scope="module", params=HOSPITALS)
def asked(request: pytest.FixtureRequest) -> Iterator[tuple[str, Grammar, Database]]:
    with closing(open_database(make_hospital(request.param))) as database:
        grammar = read_grammar(column_types(database), database)
        assert grammar is not None
        yield request.param, grammar, database


@pytest.mark.parametrize("name", ANSWERED)
def test_no_answer_is_wrong_and_most_questions_have_one(
    asked: tuple[str, Grammar, Database], name: str
) -> None:
    hospital, grammar, database = asked
    outcomes: Counter[str] = Counter()
    wrong = []
    for probe in read_probes(name):
        if probe["hospital"] == hospital:
            outcome = outcome_of(probe, grammar, database)
            outcomes[outcome] += 1
            wrong += [probe["question"]] * (outcome == "wrong")
    assert not wrong
    assert outcomes["right"] == ANSWERED[name][hospital]


def outcome_of(probe: dict[str, str], grammar: Grammar, database: Database) -> str:
    composed = grammar.compose(probe["question"])
    if not isinstance(composed, Composed):
        return "refused"
    if probe["sql"] == "refuse":
        return "wrong"
    found = rows(substitute_words(composed.sql, NOW), database)
    return "right" if found == rows(probe["sql"], database) else "wrong"


def rows(sql: str, database: Database) -> list[str]:
    found = database.execute(sql, rows=None).rows
    return sorted(str([round(c, 4) if isinstance(c, float) else c for c in row]) for row in found)


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("How many elderly patients died?", "elderly"),
        ("How many patients died after insulin?", "after"),
        ("How many patients had no visitors?", "visitors"),
        ("How many patients were prescribed heparin daily?", "daily"),
    ],
)
def test_word_that_fits_nowhere_is_named(
    asked: tuple[str, Grammar, Database], question: str, word: str
) -> None:
    refused = asked[1].compose(question)
    assert not isinstance(refused, Composed)
    named = [refused.reading.words[item.first].text for item in refused.items]
    assert word in named


def test_any_words_are_composed_into_sql_that_runs_or_refused(
    asked: tuple[str, Grammar, Database],
) -> None:
    hospital, grammar, database = asked
    chance = random.Random(5)
    phrases = [" ".join(phrase) for phrase in lexicon()]
    names = [text for texts in grammar.texts.values() for text in texts[:20]]
    composed = 0
    for _ in range(400):
        words = chance.sample([*phrases, "in 2100", "65"], chance.randint(0, 2))
        words.append(chance.choice([*chance.sample(phrases, 4), chance.choice(names)]))
        question = f"{chance.choice(STARTS)} {' '.join(words)}"
        found = grammar.compose(question)
        if isinstance(found, Composed):
            composed += 1
            database.execute(substitute_words(found.sql, NOW), rows=1)
    assert composed == COMPOSED[hospital]


STARTS = ("how many patients", "what percentage of patients", "average age of", "list patients")


def test_readings_are_as_written(asked: tuple[str, Grammar, Database]) -> None:
    hospital, grammar, _ = asked
    lines = (FOLDER / "readings.tsv").read_text().splitlines()[1:]
    for of, question, expected in (line.split("\t") for line in lines):
        if of == hospital:
            assert _reading(grammar.compose(question)) == expected.strip(), question


def _reading(found: Composed | NotComposed) -> str:
    if isinstance(found, Composed):
        return " ".join(found.understood)
    words = found.reading.words
    named = [" ".join(word.text for word in words[i.first : i.last]) for i in found.items]
    return f"refused: {', '.join(named)}".strip()
