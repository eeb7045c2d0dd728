"""Programs that check the state of a database after an agent's statements (Huo et al. 2025, G).

A test program is a Python text that defines

```python
def test_case(pred_sqls, sol_sqls, db_name, conn):
    execute_queries(pred_sqls, db_name, conn)
    rows, failed, late = execute_queries("SELECT ward, beds FROM wards", db_name, conn)
    assert rows == [("ICU", 12), ("Surgery", 30)]
```

It passes unless it raises or returns something false other than None.

**Arguments.** `pred_sqls`: the agent's statements, a list of texts. `sol_sqls`: the gold
statements, likewise. `db_name`: a name. `conn`: a connection as psycopg's: `cursor()` with
`execute(sql, parameters)`, `executemany`, `fetchone`, `fetchmany`, `fetchall`, iteration,
`description` and `rowcount`; `commit`, `rollback`, `close`.

**Global names.** `execute_queries(sqls, db_name, conn)` runs one text or a list of texts, each of
any number of statements, and returns `(rows, failed, late)`: the rows of the last result as tuples
(None if there is none, or a statement failed), whether a statement failed, and whether for its
deadline. It stops at the first statement that fails and keeps the effects of earlier ones.
`Decimal`, `date`, `datetime`, `timedelta`, `json`, `re`, `math`, `Counter` and
`defaultdict` are there too, and what the caller adds.

**Cells**: `Decimal` for a numeric, `int`, `float`, `bool`, `str`, `date`, `datetime`, `time`,
`timedelta`, `bytes`, a list for an array, a dict or list for JSON, None; a text for anything else.

**Imports**: the modules that `namespace.MODULES` names. `psycopg2` and `psycopg` hold the classes
of errors and nothing else.

**Limits**: a program cannot open a file or a socket, start a process or a thread, compute for more
than 10 s, wait for more than 10 s, hold more than 512 MiB, or take more than 5 minutes in all. Its
prints are discarded. Any fault of a program has one outcome, `broken`, and ends only the program.
"""
