"""Wordings of the question templates: the template's own and our paraphrases of it."""

from collections.abc import Mapping
from functools import cache

from wardround.authoring.ehrsql.templates import all_question_templates, unanswerable_templates
from wardround.core.packaged_data import read_toml

_FILES = ("no_patient", "one_patient", "more_of_one_patient", "many_patients", "unanswerable")


@cache
def wordings(id: str) -> tuple[str, ...]:
    """Every wording of a template, the template's own first.

    >>> wordings("drug-route")[0]
    'By which route is {drug_name} given?'

    Raises:
        KeyError: If there is no such template.
    """
    templates = {template.id: template.question for template in all_question_templates()}
    templates |= {template.id: template.question for template in unanswerable_templates()}
    return (templates[id], *paraphrases().get(id, ()))


@cache
def paraphrases() -> Mapping[str, tuple[str, ...]]:
    """The paraphrases of each template."""
    lines_by_id: dict[str, tuple[str, ...]] = {}
    for name in _FILES:
        content = read_toml(__package__, f"paraphrases/{name}.toml")
        lines_by_id |= {id: tuple(lines.strip().splitlines()) for id, lines in content.items()}
    return lines_by_id
