"""The columns whose values are indexed in advance, for each renamed schema of EHR-ChatQA."""

import tomllib
from importlib.resources import files


def preindexed_columns(schema: str) -> list[tuple[str, str]]:
    """The (table, column) pairs that the paper (EHR-ChatQA, A.2) indexes in advance.

    >>> preindexed_columns("mimic_iv_star")[3]
    ('diagnosiscodes', 'description')

    Another schema has none: its columns are indexed when they are first searched.
    """
    text = files("wardround.ehr.values").joinpath("preindexed.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text).get(schema, {})
    return [(table, column) for table, columns in listed.items() for column in columns]
