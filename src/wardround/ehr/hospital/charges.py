"""Charges of events: list prices with random variation."""

from wardround.ehr.hospital.random_stream import RandomStream

# Charge of a recorded diagnosis: the physician's evaluation. Clinical judgement.
DIAGNOSIS = 45.0


def charge(draw: RandomStream, price: float) -> float:
    """The amount charged, in US dollars and cents."""
    return round(price * draw.between(0.85, 1.2), 2)
