"""People: sex, age, body, chronic conditions, allergies and lifelong traits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from wardround.ehr.hospital.catalogue import conditions, drugs, labs, toml
from wardround.ehr.hospital.catalogue_entries import Code, Condition, Drug
from wardround.ehr.hospital.enrichment import SHARE
from wardround.ehr.hospital.random_stream import RandomStream

YEAR = 2100
# Identifiers are spread over a block by a step coprime to its size.
_BLOCK = 100_000
_STEP = 61_813


@dataclass(frozen=True)
class Allergy:
    """An entry of a person's allergy list.

    Attributes:
        name: Its name in data/allergies.toml.
        substance: The substance as written in the list.
        kind: "drug", "food" or "non drug".
        reaction: The reaction.
        avoids: Drug classes that are contraindicated.
        coded: The chronic condition whose code records it; "" if none.
    """

    name: str
    substance: str
    kind: str
    reaction: str
    avoids: tuple[str, ...]
    coded: str


@dataclass(frozen=True)
class Person:
    """One person of the hospital.

    Attributes:
        index: Number in the hospital, from 0; seed and index determine the person.
        histories: Chronic conditions at the start of the year.
        height: In cm.
        weight: In kg.
        usual: Healthy values by laboratory test.
        habits: Choice among equivalent tests of this person's doctors.
        allergies: The allergy list, which excludes drug classes.
        race: MIMIC-IV's spelling.
        enriched: Conditions that are more frequent in this hospital than usual.
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
    enriched: frozenset[str] = frozenset()

    def draw(self, concern: str) -> RandomStream:
        """This person's random stream for one concern."""
        return RandomStream(self.seed, self.index, concern)

    def drug(self, group: str) -> tuple[Drug, str]:
        """This person's home drug of a class, with its dose."""
        draw = self.draw(f"drug:{group}")
        choice = draw.weighted({drug: drug.weight for drug in drugs()[group]})
        return choice, draw.pick(choice.doses)

    def codes(self, condition: Condition) -> tuple[Code, ...]:
        """The codes of a condition, with this person's lifelong choice among alternatives."""
        if not condition.pick:
            return condition.codes
        draw = self.draw(f"codes:{condition.name}")
        alternative = draw.weighted({code: code.weight for code in condition.pick})
        return (*condition.codes, alternative)

    def control(self, condition: Condition) -> float:
        """The strength of a chronic condition's effect on this person's values; 1 is usual."""
        if not (condition.labs or condition.vitals):
            return 1.0
        return self.draw(f"control:{condition.name}").quantile(condition.control)

    def age_on(self, day: date) -> int:
        """Age in whole years."""
        return day.year - self.born.year - ((day.month, day.day) < (self.born.month, self.born.day))


def person(seed: int, index: int, enriched: frozenset[str] = frozenset()) -> Person:
    """The person with an index."""
    draw = RandomStream(seed, index, "person")
    age = int(draw.quantile(toml("people")["age"]))
    female = draw.chance(toml("people")["female"])
    # Birthdays in July keep ages constant at nearly all admissions of the year, and avoid 29
    # February, which 2100 lacks.
    born = date(YEAR - age, 7, draw.whole(1, 28))
    height = round((162 if female else 176) + 7 * draw.normal())
    allergies = allergies_of(RandomStream(seed, index, "allergies"), female)
    histories = _histories(draw, age, female, enriched) + _coded_conditions(allergies)
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
        usual=_usual(RandomStream(seed, index, "usual"), female),
        habits=_habits(RandomStream(seed, index, "habits")),
        allergies=allergies,
        race=RandomStream(seed, index, "race").weighted(toml("people")["race"]),
        enriched=enriched,
    )


def _subject_id(seed: int, index: int) -> int:
    block, position = divmod(index, _BLOCK)
    return 10_000_000 + block * _BLOCK + (position * _STEP + 4_729 * seed + 3_217) % _BLOCK


def age_band(age: int) -> int:
    """The index of the age band: under 45, 45-64, 65-79, 80 and over."""
    return (age >= 45) + (age >= 65) + (age >= 80)


def can_have(condition: Condition, age: int, female: bool) -> bool:
    """True if a person of that age and sex can have the condition."""
    least, most = condition.ages
    return condition.sex in ("", "f" if female else "m") and least <= age <= most


def likelihood(
    condition: Condition, by_age: Sequence[float], age: int, female: bool, names: set[str]
) -> float:
    """A probability or weight for one person, given other conditions."""
    if not can_have(condition, age, female):
        return 0.0
    share = by_age[age_band(age)] * (condition.female if female else condition.male)
    for name, factor in condition.more_with.items():
        if name in names:
            share *= factor
    return share


def _histories(
    draw: RandomStream, age: int, female: bool, enriched: frozenset[str]
) -> tuple[Condition, ...]:
    histories: list[Condition] = []
    names: set[str] = set()
    tilt = toml("people")["history_tilt"]
    for condition in conditions("chronic").values():
        share = likelihood(condition, condition.share, age, female, names)
        for name, chance in condition.always_with.items():
            share = max(share, chance if name in names else 0.0)
        chance = min(share * tilt, 0.96)
        if condition.name in enriched and can_have(condition, age, female):
            chance = max(chance, SHARE)
        if draw.chance(chance) and not names & set(condition.excludes):
            histories.append(condition)
            names.add(condition.name)
    return tuple(histories)


def _coded_conditions(allergies: tuple[Allergy, ...]) -> tuple[Condition, ...]:
    return tuple(conditions("chronic")[item.coded] for item in allergies if item.coded)


def _usual(draw: RandomStream, female: bool) -> dict[str, float]:
    return {
        lab.name: lab.mean + lab.spread * draw.normal() + (lab.female if female else 0.0)
        for lab in labs().values()
    }


def _habits(draw: RandomStream) -> dict[str, str]:
    return {kind: draw.weighted(shares) for kind, shares in toml("panels")["habits"].items()}


def allergies_of(draw: RandomStream, female: bool) -> tuple[Allergy, ...]:
    """A person's allergies; women report about a third more than men."""
    factor = 1.15 if female else 0.85
    return tuple(
        Allergy(
            name=name,
            substance=facts["substance"],
            kind=facts["kind"],
            reaction=draw.weighted(facts["reactions"]),
            avoids=tuple(facts["avoids"]),
            coded=facts.get("coded", ""),
        )
        for name, facts in toml("allergies").items()
        if draw.chance(facts["share"] * factor)
    )
