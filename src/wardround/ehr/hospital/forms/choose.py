"""Which schemas the hospital has a form for."""

from wardround.ehr.hospital.forms.ehrsql import EHRSQL
from wardround.ehr.hospital.forms.form import Form
from wardround.ehr.schema import load_renaming, load_schema, schema_names

FORMS = (EHRSQL,)


def schemas() -> list[str]:
    """The schemas that the hospital can be written in, renamed ones included."""
    written = {form.schema for form in FORMS}
    return [name for name in schema_names() if original(name) in written]


def original(schema: str) -> str:
    """The schema itself, or the one that it renames."""
    names = load_renaming(schema)
    return names.of if names else load_schema(schema).name


def form_of(schema: str) -> Form:
    """The form in which a schema, or the one it renames, is written.

    Raises:
        KeyError: If the hospital has no form for it.
    """
    return {form.schema: form for form in FORMS}[original(schema)]
