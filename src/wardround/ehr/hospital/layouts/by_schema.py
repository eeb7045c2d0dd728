"""The layouts of the hospital by schema."""

from functools import cache

from wardround.ehr.hospital.layouts.ehrsql_mimic_iv import EHRSQL_MIMIC_IV
from wardround.ehr.hospital.layouts.eicu.layout import EICU
from wardround.ehr.hospital.layouts.layout import Layout
from wardround.ehr.hospital.layouts.mimic_iii.layout import MIMIC_III
from wardround.ehr.hospital.layouts.mimic_iv.layout import MIMIC_IV
from wardround.ehr.schema import load_renaming, schema_names

LAYOUTS = {layout.schema: layout for layout in (EHRSQL_MIMIC_IV, EICU, MIMIC_III, MIMIC_IV)}


@cache
def schemas() -> tuple[str, ...]:
    """The supported schemas, including renamed ones."""
    return tuple(name for name in schema_names() if _original(name) in LAYOUTS)


@cache
def layout_of(schema: str) -> Layout:
    """The layout of a schema, or of the schema it renames.

    Raises:
        KeyError: If the schema is not supported.
    """
    return LAYOUTS[_original(schema)]


def _original(schema: str) -> str:
    names = load_renaming(schema)
    return names.of if names else schema
