"""Substitution of the bare word current_time."""

from datetime import datetime

from tests.cases import for_each
from wardround.ehr.times import substitute_current_time

_NOW = datetime(2100, 12, 31, 23, 59)
_TEXT = "'2100-12-31 23:59:00'"


@for_each(
    [
        ("datetime(current_time,'-1 year')", f"datetime({_TEXT},'-1 year')"),
        ("SELECT CURRENT_TIME", f"SELECT {_TEXT}"),
        ("CAST(CURRENT_TIME() AS TIMESTAMP)", f"CAST({_TEXT} AS TIMESTAMP)"),
        ("'current_time'", "'current_time'"),
        ("'it''s current_time', current_time", f"'it''s current_time', {_TEXT}"),
        ('"current_time"', '"current_time"'),
        ("`current_time`", "`current_time`"),
        ("t.current_time", "t.current_time"),
        ("my_current_time", "my_current_time"),
        ("current_timestamp", "current_timestamp"),
        ("-- current_time\ncurrent_time", f"-- current_time\n{_TEXT}"),
        ("/* current_time */ current_time", f"/* current_time */ {_TEXT}"),
        ("/* it's */ current_time", f"/* it's */ {_TEXT}"),
    ]
)
def test_only_the_bare_word_is_replaced(sql: str, expected: str) -> None:
    assert substitute_current_time(sql, _NOW) == expected
