"""Allergies and their effect on prescribing."""

from dataclasses import dataclass

from wardround.ehr.hospital.catalogue import toml
from wardround.ehr.hospital.random_stream import RandomStream


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
