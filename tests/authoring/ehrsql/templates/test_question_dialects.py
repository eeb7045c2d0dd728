"""A form's SQL in each dialect."""

import pytest

from wardround.authoring.ehrsql.templates.dialects import in_dialect
from wardround.ehr.times import Dialect

FORM = (
    "SELECT AS_NUMBER(d.dose) FROM d WHERE TRUE AND NOT d.died IS NULL AND TRUE "
    "AND JULIAN_DAY(current_moment) > WHOLE_PERCENT(AS_NUMBER(d.part), d.whole)"
)
WRITTEN: dict[Dialect, str] = {
    "sqlite": "SELECT d.dose FROM d WHERE d.died IS NOT NULL "
    "AND STRFTIME('%J', current_time) > d.part * 100 / d.whole",
    "duckdb": "JULIAN(CAST(current_time AS TIMESTAMP)) > ",
    "postgres": "EXTRACT(JULIAN FROM CAST(current_time AS TIMESTAMP)) > ",
}


@pytest.mark.parametrize("dialect", WRITTEN)
def test_functions_of_forms_are_spelled(dialect: Dialect) -> None:
    written = in_dialect(FORM, dialect, None)
    assert WRITTEN[dialect] in written
    assert "TRUE" not in written
    assert "AS_NUMBER" not in written
