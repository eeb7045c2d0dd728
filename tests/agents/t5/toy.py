"""Toy questions of a ward with their SQL, and questions that its records cannot answer."""

from random import Random

from wardround.agents.pairs import Pair

DRUGS = ["aspirin", "heparin", "insulin"]
FORMS = [
    ("how many patients were given {drug}?", "SELECT COUNT(*) FROM orders WHERE drug = '{drug}'"),
    (
        "when was patient {patient} first given {drug}?",
        "SELECT MIN(started) FROM orders WHERE patient = {patient} AND drug = '{drug}'",
    ),
    ("list the drugs of patient {patient}.", "SELECT drug FROM orders WHERE patient = {patient}"),
    (
        "how many patients had fewer than {patient} orders?",
        "SELECT COUNT(*) FROM counts WHERE orders < {patient}",
    ),
]
TABLES = {"orders": ["patient", "drug", "started"], "counts": ["patient", "orders"]}
UNANSWERABLE = [
    "why does the doctor of room {patient} hesitate about {drug} so much?",
    "when will the family of bed {patient} arrive tomorrow?",
    "what would you recommend instead of {drug}?",
    "has the consent of patient {patient} been signed by a relative?",
    "is there a phone number of the pharmacy for {drug}?",
    "could {drug} be dangerous together with grapefruit?",
]


def answerable(count: int, seed: int) -> list[Pair]:
    """Questions with their SQL."""
    drawn = Random(seed)
    return [_filled(drawn) for _ in range(count)]


def unanswerable(count: int, seed: int) -> list[str]:
    """Questions that nothing answers."""
    drawn = Random(seed)
    return [drawn.choice(UNANSWERABLE).format(**_slots(drawn)) for _ in range(count)]


def _filled(drawn: Random) -> Pair:
    question, sql = drawn.choice(FORMS)
    slots = _slots(drawn)
    return Pair(question.format(**slots), sql.format(**slots))


def _slots(drawn: Random) -> dict[str, object]:
    return {"drug": drawn.choice(DRUGS), "patient": drawn.randint(1, 3)}
