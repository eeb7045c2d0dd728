"""A request written in one short line per part, for the fixture of what is heard."""

from wardround.agents.keyword.request import Condition, Request


def render(request: Request) -> list[str]:
    goal = request.goal
    lines = []
    if goal:
        parts = [goal.shape, goal.of, goal.which, goal.column, str(goal.top)]
        plain = ["", "", "all", "name", "1"]
        lines.append(" ".join(p for p, usual in zip(parts, plain, strict=True) if p != usual))
    for name in ("patient", "visit", "indication"):
        if getattr(request, name):
            lines.append(f"{name}: {getattr(request, name)}")
    lines += [name for name in ("same_visit", "in_words", "vague") if getattr(request, name)]
    return lines + [_condition(c) for c in request.conditions]


def _condition(c: Condition) -> str:
    told = ("not " if c.negated else "") + c.kind
    told += f".{c.column}" if c.column != "name" else ""
    told += f" '{c.phrase}'" if c.phrase else ""
    told += f" = {' | '.join(c.values)}" if c.values else ""
    told += f" without {' | '.join(c.without)}" if c.without else ""
    told += "".join(f" {b.operator} {b.number:g}" for b in c.bounds)
    if c.window:
        told += f" [{c.window.since or ''} .. {c.window.until or ''}]"
    if c.relation:
        told += f" {c.relation.order} {{{_condition(c.relation.anchor)}}} {c.relation.within}"
    return told.strip()
