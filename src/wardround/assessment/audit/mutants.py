"""Golds with one fault: the oracle's actions, of which the last that can be is changed."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from wardround.core.actions import Action, Call, Observation, Say
from wardround.core.benchmark import AgentContext, AgentMaker
from wardround.core.environment import Agent
from wardround.core.task import Briefing

# Changes a query in place; returns False if there is nothing to change.
QueryFault: TypeAlias = Callable[[exp.Expr], bool]

_QUERY = re.compile(r"\s*(select|with|insert|update|delete)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]*\d)")
_AGGREGATES = {exp.Max: exp.Min, exp.Min: exp.Max, exp.Sum: exp.Avg, exp.Avg: exp.Max}
_COMPARISONS = {
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.EQ: exp.NEQ,
}


class Recorded:
    """An agent whose actions are noted."""

    def __init__(self, agent: Agent, actions: list[Action]) -> None:
        self._agent = agent
        self._actions = actions

    async def act(self, observation: Observation) -> Action:
        """The agent's action."""
        action = await self._agent.act(observation)
        self._actions.append(action)
        return action


class Faulty:
    """An agent of which one action is replaced."""

    def __init__(self, agent: Agent, number: int, action: Action) -> None:
        self._agent = agent
        self._number = number
        self._action = action
        self._count = 0

    async def act(self, observation: Observation) -> Action:
        """The agent's action, or the one in its place."""
        action = await self._agent.act(observation)
        self._count += 1
        return self._action if self._count == self._number + 1 else action


def recorded(make: AgentMaker, actions: list[Action]) -> AgentMaker:
    """A maker of the same agents that notes their actions."""

    def made(briefing: Briefing, context: AgentContext) -> Recorded:
        actions.clear()
        return Recorded(make(briefing, context), actions)

    return made


def with_fault(make: AgentMaker, actions: Sequence[Action], fault: str) -> AgentMaker | None:
    """A maker of agents with a fault in the last query that can have it; None without a place.

    Without such a query, it is in the last action that can have it.

    Args:
        make: makes the oracle's agents.
        actions: the actions of an earlier trial of one.
        fault: the name of a fault.
    """
    last_first = sorted(
        range(len(actions)), key=lambda n: (_has_query(actions[n]), n), reverse=True
    )
    for number in last_first:
        changed = changed_action(actions[number], fault)
        if changed is not None:
            return lambda briefing, context: Faulty(make(briefing, context), number, changed)
    return None


def _has_query(action: Action) -> bool:
    return isinstance(action, Call) and any(map(_is_query, action.arguments.values()))


def _is_query(value: object) -> bool:
    return isinstance(value, str) and _QUERY.match(value) is not None


def changed_action(action: Action, fault: str) -> Action | None:
    """The action with a fault; None if it has no place for it.

    >>> changed_action(Say("It is 5 mg."), "another number")
    Say(text='It is 6 mg.')
    >>> changed_action(Call("sql", {"query": "SELECT MAX(a) FROM t"}), "another aggregate")
    Call(tool='sql', arguments={'query': 'SELECT MIN(a) FROM t'})
    """
    if isinstance(action, Say):
        text = _changed(action.text, fault)
        return None if text is None else Say(text)
    # Other arguments of a query, such as the number of rows to show, do not change the answer.
    queries = {name: sql for name, sql in action.arguments.items() if _is_query(sql)}
    changed = _changed(queries or action.arguments, fault)
    return None if changed is None else replace(action, arguments={**action.arguments, **changed})


def _changed(value: Any, fault: str) -> Any:
    """The value with a fault in its last part that can have it; None without one."""
    if isinstance(value, str):
        if _is_query(value):
            return _changed_query(value, FAULTS[fault])
        return _next_number(value) if fault == NUMBER else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value + 1 if fault == NUMBER else None
    for key, each in reversed([*_items(value)]):
        changed = _changed(each, fault)
        if changed is not None:
            if isinstance(value, Mapping):
                return {**value, key: changed}
            return [*value[:key], changed, *value[key + 1 :]]
    return None


def _items(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, Mapping):
        yield from value.items()
    elif isinstance(value, list | tuple):
        yield from enumerate(value)


def _next_number(text: str) -> str | None:
    """The text with its last number one larger."""
    numbers = [*_NUMBER.finditer(text)]
    if not numbers:
        return None
    last = numbers[-1]
    return f"{text[: last.start()]}{int(last[0]) + 1}{text[last.end() :]}"


def _changed_query(sql: str, fault: QueryFault) -> str | None:
    try:
        query = sqlglot.parse_one(sql)
    except SqlglotError:
        return None
    return query.sql() if fault(query) else None


def _another_number(query: exp.Expr) -> bool:
    for literal in query.find_all(exp.Literal):
        if literal.is_int:
            literal.replace(exp.Literal.number(int(literal.this) + 1))
            return True
    return False


def _another_text(query: exp.Expr) -> bool:
    for literal in query.find_all(exp.Literal):
        if literal.is_string and isinstance(literal.parent, exp.EQ | exp.In | exp.Like):
            literal.replace(exp.Literal.string(f"{literal.this} x"))
            return True
    return False


def _without_a_condition(query: exp.Expr) -> bool:
    for both in query.find_all(exp.And):
        both.replace(both.left)
        return True
    for where in query.find_all(exp.Where):
        where.pop()
        return True
    return False


def _another_aggregate(query: exp.Expr) -> bool:
    for aggregate in query.find_all(*_AGGREGATES):
        aggregate.replace(_AGGREGATES[type(aggregate)](this=aggregate.this))
        return True
    for distinct in query.find_all(exp.Distinct):
        if isinstance(distinct.parent, exp.Count):
            distinct.replace(distinct.expressions[0])
            return True
    return False


def _turned_comparison(query: exp.Expr) -> bool:
    for comparison in query.find_all(*_COMPARISONS):
        turned = _COMPARISONS[type(comparison)]
        comparison.replace(turned(this=comparison.this, expression=comparison.expression))
        return True
    return False


def _turned_order(query: exp.Expr) -> bool:
    for ordered in query.find_all(exp.Ordered):
        ordered.set("desc", not ordered.args.get("desc"))
        ordered.set("nulls_first", None)
        return True
    return False


NUMBER = "another number"
FAULTS: Mapping[str, QueryFault] = {
    NUMBER: _another_number,
    "another text": _another_text,
    "a condition less": _without_a_condition,
    "another aggregate": _another_aggregate,
    "a comparison turned": _turned_comparison,
    "an order turned": _turned_order,
}
