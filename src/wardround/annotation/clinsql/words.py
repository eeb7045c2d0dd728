"""The words of the annotation page, read from `words.toml`."""

from functools import cache

from wardround.annotation.views import AnnotatorRole, CheckPoint, FieldForm, Outcome, StoreForm
from wardround.benchmarks.clinsql.items.item import LEVELS, SCENARIOS
from wardround.core.packaged_data import read_toml

VALIDATION = "validation"
MAPPING = "mapping."


@cache
def store_form() -> StoreForm:
    """The form of all items."""
    words = read_toml(__package__, "words.toml")
    return StoreForm(
        roles=tuple(
            AnnotatorRole(role["name"], role["title"], tuple(role["duties"]))
            for role in words["roles"]
        ),
        fields=tuple(FieldForm(**field) for field in words["fields"]),
        checklist=tuple(
            CheckPoint(f"{part['section'].split()[0].lower()}-{number}", part["section"], point)
            for part in words["checklist"]
            for number, point in enumerate(part["points"], start=1)
        ),
        outcomes=tuple(Outcome(**outcome) for outcome in words["outcomes"]),
        weights={int(weight): meaning for weight, meaning in words["weights"].items()},
        levels=LEVELS,
        groups=SCENARIOS,
        lookups=words["lookups"],
    )


def step_names() -> tuple[str, ...]:
    """The roles in the order of their steps."""
    return tuple(role.name for role in store_form().roles)


def role_of(field: str) -> str:
    """The role that writes a field; "" for an unknown field."""
    return next((form.role for form in store_form().fields if form.name == field), "")
