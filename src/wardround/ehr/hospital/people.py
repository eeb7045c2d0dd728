"""Who the people are: sex, age, body, long-standing conditions and what follows them for life."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from wardround.ehr.hospital.allergies import Allergy, allergies_of
from wardround.ehr.hospital.catalogue import Code, Condition, Drug, conditions, drugs, labs, toml
from wardround.ehr.hospital.random_stream import Draw

YEAR = 2100
# Identifiers are spread over a block by a step that shares no factor with its size.
_BLOCK = 100_000
_STEP = 61_813


@dataclass(frozen=True)
class Person:
    """One person of the hospital.

    Attributes:
        index: Place in the hospital, from 0; everything about a person follows from seed and index.
        histories: Long-standing conditions at the start of the year.
        height: In cm.
        weight: In kg.
        usual: This person's healthy value of every laboratory test.
        habits: Which of several equivalent tests this person's doctors order.
        allergies: The allergy list; no ordered drug is of a class that it bars.
        race: As MIMIC-IV writes it.
    """

    seed: int
    index: int
    subject_id: int
    female: bool
    born: date
    histories: tuple[Condition, ...]
    height: int
    weight: float
    usual: Mapping[str, float]
    habits: Mapping[str, str]
    allergies: tuple[Allergy, ...]
    race: str

    def draw(self, concern: str) -> Draw:
        """This person's stream of draws for one concern."""
        return Draw(self.seed, self.index, concern)

    def drug(self, group: str) -> tuple[Drug, str]:
        """The drug of a class, and its dose, that this person takes at home."""
        draw = self.draw(f"drug:{group}")
        choice = draw.weighted({drug: drug.weight for drug in drugs()[group]})
        return choice, draw.pick(choice.doses)

    def codes(self, condition: Condition) -> tuple[Code, ...]:
        """The codes of a condition, with the one kept for life where there is a choice."""
        if not condition.pick:
            return condition.codes
        draw = self.draw(f"codes:{condition.name}")
        chosen = draw.weighted({code: code.weight for code in condition.pick})
        return (*condition.codes, chosen)

    def control(self, condition: Condition) -> float:
        """How strongly a long-standing condition moves this person's values, 1 being usual."""
        if not (condition.labs or condition.vitals):
            return 1.0
        return self.draw(f"control:{condition.name}").quantile(condition.control)

    def age_on(self, day: date) -> int:
        """Age in whole years."""
        return day.year - self.born.year - ((day.month, day.day) < (self.born.month, self.born.day))


def person(seed: int, index: int) -> Person:
    """The person at a place in the hospital."""
    draw = Draw(seed, index, "person")
    age = int(draw.quantile(toml("people")["age"]))
    female = draw.chance(toml("people")["female"])
    # Birthdays in July keep the age the same at nearly every admission of the year, and no 29
    # February exists in 2100.
    born = date(YEAR - age, 7, draw.whole(1, 28))
    height = round((162 if female else 176) + 7 * draw.normal())
    allergies = allergies_of(Draw(seed, index, "allergies"), female)
    histories = _histories(draw, age, female) + _coded(allergies)
    heavy = 12.0 if any(condition.name == "obesity" for condition in histories) else 0.0
    mass = (26 + heavy + 3.6 * draw.normal()) * (height / 100) * (height / 100)
    return Person(
        seed=seed,
        index=index,
        subject_id=_subject_id(seed, index),
        female=female,
        born=born,
        histories=histories,
        height=height,
        weight=round(max(mass, 38.0), 1),
        usual=_usual(Draw(seed, index, "usual"), female),
        habits=_habits(Draw(seed, index, "habits")),
        allergies=allergies,
        race=Draw(seed, index, "race").weighted(toml("people")["race"]),
    )


def _subject_id(seed: int, index: int) -> int:
    block, place = divmod(index, _BLOCK)
    return 10_000_000 + block * _BLOCK + (place * _STEP + 4_729 * seed + 3_217) % _BLOCK


def band(age: int) -> int:
    """Which of the four age bands of the data files: under 45, 45-64, 65-79, 80 and over."""
    return (age >= 45) + (age >= 65) + (age >= 80)


def suits(condition: Condition, age: int, female: bool) -> bool:
    """Whether a person of that age and sex can have the condition."""
    least, most = condition.ages
    return condition.sex in ("", "f" if female else "m") and least <= age <= most


def likelihood(
    condition: Condition, by_age: Sequence[float], age: int, female: bool, names: set[str]
) -> float:
    """A share or weight for one person, given what else the person has."""
    if not suits(condition, age, female):
        return 0.0
    share = by_age[band(age)] * (condition.female if female else condition.male)
    for name, factor in condition.more_with.items():
        if name in names:
            share *= factor
    return share


def _histories(draw: Draw, age: int, female: bool) -> tuple[Condition, ...]:
    found: list[Condition] = []
    names: set[str] = set()
    tilt = toml("people")["history_tilt"]
    for condition in conditions("chronic").values():
        share = likelihood(condition, condition.share, age, female, names)
        for name, chance in condition.always_with.items():
            share = max(share, chance if name in names else 0.0)
        if draw.chance(min(share * tilt, 0.96)) and not names & set(condition.excludes):
            found.append(condition)
            names.add(condition.name)
    return tuple(found)


def _coded(allergies: tuple[Allergy, ...]) -> tuple[Condition, ...]:
    """The conditions that say in a code that the person is allergic."""
    return tuple(conditions("chronic")[item.coded] for item in allergies if item.coded)


def _usual(draw: Draw, female: bool) -> dict[str, float]:
    return {
        lab.name: lab.mean + lab.spread * draw.normal() + (lab.female if female else 0.0)
        for lab in labs().values()
    }


def _habits(draw: Draw) -> dict[str, str]:
    return {kind: draw.weighted(shares) for kind, shares in toml("panels")["habits"].items()}
