"""Test programs, read without running them."""

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
        runs_statements: Whether it runs the agent's statements; where it does not they are run
            before it.
        rolls_back: Whether it asks its connection to roll back; what it does on a cursor is then
            in a transaction, as with psycopg, and else each statement stands by itself.
    """

    source: str
    runs_statements: bool
    rolls_back: bool


@lru_cache(maxsize=1024)
def read_program(source: str, runners: frozenset[str] = _RUNNERS) -> Program:
    """A program from its text.

    Args:
        source: the text.
        runners: the functions that run statements they are given.

    Raises:
        SyntaxError: If it is no Python, or defines no `test_case` of four parameters.

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
        runs_statements=_hands_on(test, test.args.args[0].arg, runners),
        rolls_back=any(_called(call) == "rollback" for call in calls),
    )


def _hands_on(test: ast.FunctionDef, name: str, runners: frozenset[str]) -> bool:
    """Return True if the value of a name reaches a function that runs SQL, by any other name."""
    names = {name}
    while (more := names | _named_after(test, names)) != names:
        names = more
    return any(
        isinstance(node, ast.Call)
        and _called(node) in runners
        and any(_mentions(argument, names) for argument in [*node.args, *node.keywords])
        for node in ast.walk(test)
    )


def _named_after(test: ast.FunctionDef, names: set[str]) -> set[str]:
    """Names that are given something made of what others hold."""
    found = set()
    for node in ast.walk(test):
        if isinstance(node, ast.Assign) and _mentions(node.value, names):
            targets: list[ast.expr] = node.targets
        elif isinstance(node, ast.For | ast.comprehension) and _mentions(node.iter, names):
            targets = [node.target]
        else:
            continue
        within = [each for target in targets for each in ast.walk(target)]
        found |= {each.id for each in within if isinstance(each, ast.Name)}
    return found


def _mentions(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def _called(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""
