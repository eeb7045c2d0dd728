"""What a person is allergic to, and what follows for prescribing."""

from dataclasses import dataclass

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.random_stream import Draw


@dataclass(frozen=True)
class Allergy:
    """An allergy on a person's list.

    Attributes:
        name: Its name in data/allergies.toml.
        substance: As an allergy list writes it.
        kind: "drug", "food" or "non drug".
        reaction: What happened.
        avoids: Classes of drugs that are not given to this person.
        coded: The long-standing condition that codes it; empty where none does.
    """

    name: str
    substance: str
    kind: str
    reaction: str
    avoids: tuple[str, ...]
    coded: str


def allergies_of(draw: Draw, female: bool) -> tuple[Allergy, ...]:
    """A person's allergies; women report about a third more of them than men."""
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
