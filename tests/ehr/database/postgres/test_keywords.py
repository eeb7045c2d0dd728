"""The first words of a statement, compared with PostgreSQL's own parser."""

from contextlib import closing

from hypothesis import given
from hypothesis import strategies as st

from wardround.ehr.database.postgres.connection import find_address
from wardround.ehr.database.postgres.keywords import first_words

_BLANKS = st.lists(
    st.sampled_from(
        [
            " ",
            "\t",
            "\n",
            "\f",
            "--x\n",
            "-- /*\r",
            "/**/",
            "/* ; */",
            "/*/* */ commit */",
            "/*--*/",
        ]
    ),
    max_size=4,
).map("".join)
_COMMANDS = {
    "COMMIT": "COMMIT",
    "Begin": "BEGIN",
    "rollback": "ROLLBACK",
    "select 1": "SELECT",
    "abort": "ROLLBACK",
    "END": "COMMIT",
    "start transaction": "START",
    "show work_mem": "SHOW",
}


@given(before=_BLANKS, more=_BLANKS, command=st.sampled_from(sorted(_COMMANDS)))
def test_first_word_is_what_the_server_runs(
    own_server: str, before: str, more: str, command: str
) -> None:
    sql = f"{before};{more}{command}" if len(before) % 2 else f"{before}{more}{command}"
    address = find_address(f"{own_server}none")
    with closing(address.maintenance.connect()) as connection:
        connection.execute("BEGIN")
        tag = connection.execute(sql.encode(), prepare=False).statusmessage
    address.leave()
    assert tag is not None
    assert tag.split()[0] == _COMMANDS[command]
    assert first_words(sql, 1) == (command.split()[0].upper(),)
