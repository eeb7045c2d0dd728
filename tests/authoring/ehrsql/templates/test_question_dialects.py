"""SQLite's spelling of a form is what its tree gives."""

import random

import pytest

from wardround.authoring.ehrsql.templates.dialects import in_dialect, in_dialect_by_tree
from wardround.authoring.ehrsql.templates.forms import form_sql
from wardround.authoring.ehrsql.templates.operations import operations_for
from wardround.authoring.ehrsql.templates.records import RELEASED, load_records
from wardround.authoring.ehrsql.templates.templates import templates_for
from wardround.authoring.ehrsql.templates.times import time_choices


@pytest.mark.parametrize("schema", [RELEASED, "ehrsql_mimic_iii", "ehrsql_eicu"])
def test_sqlite_is_spelled_as_by_its_tree(schema: str) -> None:
    records, chance = load_records(schema), random.Random(schema)
    for template in templates_for(schema):
        choices = time_choices(template.times)
        operations = {s: chance.choice(operations_for(s, schema)) for s in template.operations}
        sign = next(iter(records.vital_signs)) if "vital_name" in template.values else ""
        for times in chance.sample(choices, min(3, len(choices))):
            sql = form_sql(template, schema, operations, times, sign)
            assert in_dialect(sql, "sqlite", None) == in_dialect_by_tree(sql, "sqlite", None)
