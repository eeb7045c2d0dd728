"""What is charged for an event: its list price, give or take."""

from wardround.ehr.hospital.random_stream import Draw

# What a recorded diagnosis is charged: the physician's evaluation. Clinical judgement.
DIAGNOSIS = 45.0


def charge(draw: Draw, price: float) -> float:
    """The amount charged, in US dollars and cents."""
    return round(price * draw.between(0.85, 1.2), 2)
