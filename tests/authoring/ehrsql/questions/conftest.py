"""Synthetic hospitals for questions, which no test changes, and few templates for them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hospitals import hospital_file
from wardround.authoring.ehrsql.questions import suite
from wardround.authoring.ehrsql.templates import all_question_templates, templates_for

# Each template of a sixth and, in slow tests, of all: every template runs in test_question_sql.py.
TEMPLATES = (pytest.param(6, id="a sixth"), pytest.param(1, id="all", marks=pytest.mark.slow))


@contextmanager
def chosen_templates(step: int) -> Iterator[None]:
    """Makes sets of one template in so many."""
    chosen = all_question_templates()[::step]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            suite,
            "templates_for",
            lambda records: [each for each in templates_for(records) if each in chosen],
        )
        yield


@pytest.fixture(scope="session")
def hospital() -> Path:
    """A hospital of forty patients in the form of EHR-ChatQA."""
    return hospital_file("mimic_iv_star", 40, seed=5, ending="sqlite")
