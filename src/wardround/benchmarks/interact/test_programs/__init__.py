"""Programs that check the state of a database after an agent's statements (BIRD-Interact, G.2).

A test program is a Python text that defines

```python
def test_case(pred_sqls, sol_sqls, db_name, conn):
    execute_queries(pred_sqls, db_name, conn)
    rows, failed, late = execute_queries("SELECT ward, beds FROM wards", db_name, conn)
    assert rows == [("ICU", 12), ("Surgery", 30)]
```

It passes unless it raises or returns something false other than None.

**What it is given.** `pred_sqls`: the agent's statements, a list of texts. `sol_sqls`: the gold
statements, likewise. `db_name`: a name. `conn`: a connection as psycopg's: `cursor()` with
`execute(sql, parameters)`, `executemany`, `fetchone`, `fetchmany`, `fetchall`, iteration,
`description` and `rowcount`; `commit`, `rollback`, `close`. The database is as it was before the
agent's statements. A program that hands `pred_sqls` on to nothing that runs SQL finds them run.

**What it may call** without importing it:

- `execute_queries(sqls, db_name, conn)` runs one text or a list of texts, each of any number of
  statements, and gives `(rows, failed, late)`: the rows of the last result as tuples (None where
  there is none, or a statement failed), whether a statement failed, and whether for its deadline.
  It stops at the first statement that fails; those before it stand.
- `remove_comments(sqls)`, `remove_distinct(sqls)`, `remove_round(sqls)`: SQL as the soft
  comparison runs it, a text for a text and a list for a list.
- `ex_base(pred_sqls, sol_sqls, db_name, conn, conditions=None)`: 1 where both give the same in the
  published comparison, else 0; `conditions` may hold `order`.
- `preprocess_results(rows, decimal_places=2)`: rows as that comparison sees them.
- `test_case_default(pred_sqls, sol_sqls, db_name, conn, conditions=None)`: the test of a question.

**What cells are**: `Decimal` for a numeric, `int`, `float`, `bool`, `str`, `date`, `datetime`,
`time`, `timedelta`, `bytes`, a list for an array, a dict or list for JSON, None; a text for
anything else.

**What it may import**: the modules that `namespace.MODULES` names. `Decimal`, `date`, `datetime`,
`timedelta`, `json`, `re`, `math`, `Counter` and `defaultdict` are there already. `psycopg2` and
`psycopg` hold the classes of errors and nothing else.

**What it may not**: open a file or a socket, start a process or a thread, compute for more than
10 s, wait for more than 10 s, hold more than 512 MiB, or take more than 5 minutes in all. What it
prints is thrown away. Whatever goes wrong with a program is one outcome, `broken`, and ends nothing
but the program.
"""
