"""Turns to another request after one that finds nothing, by category (EHR-ChatQA, Table 10)."""

from wardround.authoring.chatqa.turns.conditions import (
    compound_criteria,
    missing_table,
    related_condition,
)
from wardround.authoring.chatqa.turns.drugs import brand_or_generic, other_class, within_class
from wardround.authoring.chatqa.turns.tests import other_procedure, other_test
from wardround.authoring.chatqa.turns.turn import Category

CATEGORIES: tuple[Category, ...] = (
    brand_or_generic,
    within_class,
    other_class,
    related_condition,
    other_test,
    other_procedure,
    compound_criteria,
    missing_table,
)
