"""Which schemas the hospital has a form for."""

from functools import cache

from wardround.ehr.hospital.forms.ehrsql import EHRSQL
from wardround.ehr.hospital.forms.eicu.form import EICU
from wardround.ehr.hospital.forms.form import Form
from wardround.ehr.hospital.forms.mimic_iii.form import MIMIC_III
from wardround.ehr.hospital.forms.mimic_iv.form import MIMIC_IV
from wardround.ehr.schema import load_renaming, schema_names

FORMS = {form.schema: form for form in (EHRSQL, EICU, MIMIC_III, MIMIC_IV)}


@cache
def schemas() -> tuple[str, ...]:
    """The schemas that the hospital can be written in, renamed ones included."""
    return tuple(name for name in schema_names() if _original(name) in FORMS)


@cache
def form_of(schema: str) -> Form:
    """The form in which a schema, or the one it renames, is written.

    Raises:
        KeyError: If the hospital has no form for it.
    """
    return FORMS[_original(schema)]


def _original(schema: str) -> str:
    names = load_renaming(schema)
    return names.of if names else schema
