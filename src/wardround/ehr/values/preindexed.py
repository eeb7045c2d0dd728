"""The columns whose values are indexed in advance, for each renamed schema of EHR-ChatQA."""

import tomllib
from importlib.resources import files

from wardround.core.errors import UserError


def preindexed_columns(schema: str) -> list[tuple[str, str]]:
    """The (table, column) pairs that the paper (EHR-ChatQA, A.2) indexes in advance.

    >>> preindexed_columns("mimic_iv_star")[3]
    ('diagnosiscodes', 'description')

    Raises:
        UserError: If the schema is not one of the paper's two.
    """
    text = files("wardround.ehr.values").joinpath("preindexed.toml").read_text(encoding="utf-8")
    schemas = tomllib.loads(text)
    if schema not in schemas:
        raise UserError(f"No columns are listed for schema {schema!r}; use {' or '.join(schemas)}.")
    return [(table, column) for table, columns in schemas[schema].items() for column in columns]
