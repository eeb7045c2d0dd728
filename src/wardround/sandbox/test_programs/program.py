"""Parses test programs without running them."""

import ast
from dataclasses import dataclass
from functools import lru_cache

NAME = "test_case"
_RUNNERS = frozenset({"execute", "execute_queries", "executemany"})


@dataclass(frozen=True, slots=True)
class Program:
    """A test program.

    Attributes:
        source: Its text.
        runs_statements: True if it runs the agent's statements; otherwise they run before it.
        rolls_back: True if it calls `rollback`; its cursors then run in a transaction, as with
            psycopg, otherwise in autocommit mode.
    """

    source: str
    runs_statements: bool
    rolls_back: bool


@lru_cache(maxsize=1024)
def read_program(source: str, runners: frozenset[str] = _RUNNERS) -> Program:
    """Parse a program.

    Args:
        source: The program's text.
        runners: Names of functions that run the statements passed to them.

    Raises:
        SyntaxError: If it is not Python, or defines no `test_case` with four parameters.

    >>> read_program("def test_case(pred_sqls, sol_sqls, db_name, conn): pass").runs_statements
    False
    """
    try:
        tree = ast.parse(source)
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from error
    functions = [
        node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == NAME
    ]
    if not functions or len(functions[-1].args.args) < 4:
        raise SyntaxError(f"it defines no {NAME}(pred_sqls, sol_sqls, db_name, conn)")
    test = functions[-1]
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return Program(
        source,
        runs_statements=_reaches_runner(test, test.args.args[0].arg, runners),
        rolls_back=any(_called_name(call) == "rollback" for call in calls),
    )


def _reaches_runner(test: ast.FunctionDef, name: str, runners: frozenset[str]) -> bool:
    """Return True if the value of a name reaches a function that runs SQL, even via others."""
    names = {name}
    while (more := names | _assigned_from(test, names)) != names:
        names = more
    return any(
        isinstance(node, ast.Call)
        and _called_name(node) in runners
        and any(_mentions(argument, names) for argument in [*node.args, *node.keywords])
        for node in ast.walk(test)
    )


def _assigned_from(test: ast.FunctionDef, names: set[str]) -> set[str]:
    """Names assigned from expressions that contain any of the given names."""
    assigned = set()
    for node in ast.walk(test):
        if isinstance(node, ast.Assign) and _mentions(node.value, names):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.For | ast.comprehension) and _mentions(node.iter, names):
            targets = [node.target]
        else:
            continue
        within = [each for target in targets for each in ast.walk(target)]
        assigned |= {each.id for each in within if isinstance(each, ast.Name)}
    return assigned


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def _called_name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
