"""Identifiers of providers and caregivers."""

from datetime import datetime
from functools import cache

from wardround.ehr.hospital.random_stream import RandomStream
from wardround.ehr.hospital.stays import Stay

# Staff of a large hospital: the MIMIC-IV demo's 100 patients have about 1,900 providers.
PROVIDERS, CAREGIVERS = 2_000, 900
_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def attending(stay: Stay) -> str:
    """The admitting provider."""
    return provider(stay.draw("attending").whole(0, PROVIDERS - 1))


def prescriber(draw: RandomStream, stay: Stay) -> str:
    """The provider of one order, usually of a team of five."""
    team = stay.draw("team").whole(0, PROVIDERS // 5 - 1)
    return provider(5 * team + draw.whole(0, 4) if draw.chance(0.85) else draw.whole(0, 1_999))


def nurse(stay: Stay, time: datetime) -> int:
    """The charting caregiver at a time: one for each twelve-hour shift from 7:00."""
    shift = (time.toordinal() * 24 + time.hour - 7) // 12
    return caregiver((stay.hadm_id * 7 + shift * 131) % CAREGIVERS)


def caregiver(number: int) -> int:
    """The identifier of a caregiver, 0 to CAREGIVERS - 1."""
    return 10_000 + (number * 7_919 + 37) % 90_000


@cache
def provider(number: int) -> str:
    """The identifier of a provider, 0 to PROVIDERS - 1: P and five characters.

    >>> provider(0) != provider(1), len(provider(7)), provider(7)[0]
    (True, 6, 'P')
    """
    quotient = (number * 7_654_321 + 1_234_567) % 36**5
    text = ""
    for _ in range(5):
        quotient, digit = divmod(quotient, 36)
        text += _LETTERS[digit]
    return f"P{text}"
