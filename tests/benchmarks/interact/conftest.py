"""Graders and programs work on the ward of `tests/ward.py`."""

from tests.ward import start, ward_database

__all__ = ["start", "ward_database"]
