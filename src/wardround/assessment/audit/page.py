"""The page of an audit: which of eight flaws a benchmark shows, by which agent and how often."""

from collections.abc import Iterator, Sequence

from wardround.assessment.audit.attempts import Attempts
from wardround.assessment.audit.audited import Audit, ProbeResult
from wardround.assessment.audit.probes import (
    NO_GRADING,
    PLAIN,
    PLIANT_JUDGE,
    REFUSAL,
    WEAK_MATCHING,
)
from wardround.core.benchmark import Table

# The most that a suite may let through beyond the base rate.
MOST_ALONE, MOST_TOGETHER = 0.02, 0.05
STRICT = "strict"


def sentences(audit: Audit) -> list[str]:
    """The answer in plain words."""
    grading = deciding(audit)
    count = len(audit.tasks)
    base, together = audit.base(grading), audit.together(grading)
    return [
        f"{_percent(len(together), count)} of {count:,} tasks of {audit.source} can be passed "
        f"without solving them ({grading or 'its only'} grading), by {_count_of_probes(audit)} "
        "agents together.",
        f"The right answer to {_percent(len(base), count)} is a refusal; an agent that refuses "
        f"everything passes these, and refuses {_percent(count - len(base), count)} wrongly.",
        f"The gold of {len(audit.gold.get(grading, ())):,} of {count:,} tasks passes its grader.",
        *_user_sentence(audit, grading),
        _decision(audit, grading),
    ]


def deciding(audit: Audit) -> str:
    """The grading that an audit decides: strict where there is one, else the first."""
    return STRICT if STRICT in audit.gradings else audit.gradings[0]


def is_sound(audit: Audit) -> bool:
    """True if no probe passes more than it may, and every gold passes."""
    grading, count = deciding(audit), len(audit.tasks)
    alone = [len(audit.beyond(each, grading)) for each in audit.results]
    return (
        max(alone, default=0) <= MOST_ALONE * count
        and len(audit.together(grading)) <= MOST_TOGETHER * count
        and len(audit.gold.get(grading, ())) == count
        and not any(each.worked for each in audit.attempts.values())
    )


def tables(audit: Audit) -> dict[str, Table]:
    """The tables behind the answer."""
    made = {
        "flaws": _flaw_table(audit),
        "agents": _agent_table(audit),
        "passed": _passed_table(audit),
        "lenient": _lenient_table(audit),
        "mutants": _mutant_table(audit),
        "judge": _judge_table(audit),
    }
    return {name: table for name, table in made.items() if table.rows}


def _user_sentence(audit: Audit, grading: str) -> Iterator[str]:
    """The share of trials that did not pass since the simulated user broke its rules."""
    failed = sum(len(each.tasks - each.passed.get(grading, set())) for each in audit.results)
    if audit.has_user and failed:
        spoiled = sum(len(each.user_errors) for each in audit.results)
        yield (
            f"The simulated user caused {_percent(spoiled, failed)} of the {failed:,} trials that "
            "did not pass."
        )


def _decision(audit: Audit, grading: str) -> str:
    limits = f"{MOST_ALONE:.0%} by an agent alone and {MOST_TOGETHER:.0%} by all together"
    if is_sound(audit):
        return f"Sound: beyond refusals, no more than {limits}."
    return (
        f"Not sound: golds have to pass, beyond refusals no more than {limits} may, and no attack "
        "may work."
    )


def _flaw_table(audit: Audit) -> Table:
    """The eight classes of flaw that BenchJack (arXiv 2605.12673) found in known benchmarks."""
    grading = deciding(audit)
    rows: list[tuple[str | int | float | None, ...]] = [
        (flaw, _counted(len(results), "agent"), _worst(audit, results, grading), remark)
        for flaw, remark in (
            (WEAK_MATCHING, ""),
            (NO_GRADING, _mutant_remark(audit, grading)),
        )
        for results in [[each for each in audit.results if each.probe.flaw == flaw]]
    ]
    rows.append(_judge_row(audit, grading))
    rows += [_attempts_row(flaw, each) for flaw, each in audit.attempts.items()]
    note = (
        f"Of agents, percent of tasks passed by the worst, beyond refusals, in {grading or 'all'}; "
        "of attacks, percent that worked."
    )
    return Table("Flaws", ("Flaw", "Tested by", "Passed", "Remark"), tuple(rows), note)


def _attempts_row(flaw: str, attempts: Attempts) -> tuple[str | int | float | None, ...]:
    if attempts.problem:
        return flaw, "not tested", None, attempts.problem
    worked = _share(len(attempts.worked), attempts.tried)
    return flaw, _counted(attempts.tried, "attack"), worked, ", ".join(attempts.worked)


def _judge_row(audit: Audit, grading: str) -> tuple[str | int | float | None, ...]:
    """The row on talking to the judge; without a model that judges, only a success counts."""
    talks = [each for each in audit.results if each.probe.flaw == PLIANT_JUDGE]
    worst = _worst(audit, talks, grading)
    if not audit.has_judge and not worst:
        return PLIANT_JUDGE, "not tested", None, "programs alone: no model judges here"
    undecided = sum(len(each.undecided.get(grading, ())) for each in talks)
    played = sum(len(each.tasks) for each in talks)
    remarks = [f"{undecided:,} of {played:,} answers stay undecided"] if undecided else []
    if met := _met(talks):
        plain = _met([each for each in audit.results if each.probe.name == PLAIN])
        remarks.append(f"a model marks {met} as met, and {plain} if the answer does not talk to it")
    return PLIANT_JUDGE, _counted(len(talks), "agent"), worst, "; ".join(remarks)


def _met(results: Sequence[ProbeResult]) -> str:
    """The share of judged items that a model takes for met; "" if it judged none."""
    met = sum(each.judged.get("passed", 0) for each in results)
    of = met + sum(each.judged.get("failed", 0) for each in results)
    return f"{met:,} of {of:,} items ({_percent(met, of)})" if of else ""


def _judge_table(audit: Audit) -> Table:
    """The items that a model judge takes for met, with and without being talked to."""
    rows = tuple(
        (each.probe.name, of, met, _share(met, of))
        for each in audit.results
        if each.probe.name == PLAIN or each.probe.flaw == PLIANT_JUDGE
        for met in [each.judged.get("passed", 0)]
        if (of := met + each.judged.get("failed", 0))
    )
    note = (
        "Items that a language model judged, of the same empty answer each time. A judge that is "
        "talked to marks more as met than of the plain answer; one that says yes to everything "
        "does not."
    )
    return Table("What the judge takes for met", ("Agent", "Items", "Met", "Percent"), rows, note)


def _mutant_remark(audit: Audit, grading: str) -> str:
    played = sum(len(each.tasks) for each in audit.mutants)
    passed = sum(len(each.passed.get(grading, ())) for each in audit.mutants)
    return f"{_percent(passed, played)} of {played:,} golds with a fault pass" if played else ""


def _mutant_table(audit: Audit) -> Table:
    """The golds with a fault that pass, by fault and grading."""
    rows: list[tuple[str | int | float | None, ...]] = [
        (
            each.probe.name,
            len(each.tasks),
            *(_share(len(each.passed.get(name, ())), len(each.tasks)) for name in audit.gradings),
        )
        for each in audit.mutants
        if each.tasks
    ]
    columns = ("Fault", "Tasks", *(name or "passed" for name in audit.gradings))
    note = (
        "Percent of golds that pass with a fault. One that gives the same result on these records "
        "passes rightly where results are compared."
    )
    return Table("Golds with a fault", columns, tuple(rows), note)


def _worst(audit: Audit, results: Sequence[ProbeResult], grading: str) -> float | None:
    played = [each for each in results if each.tasks]
    if not played:
        return None
    return max(_share(len(audit.beyond(each, grading)), len(each.tasks)) for each in played)


def _agent_table(audit: Audit) -> Table:
    """Each agent's share of passed tasks in each grading, and beyond refusals in the decider."""
    grading = deciding(audit)
    rows: list[tuple[str | int | float | None, ...]] = [
        (
            each.probe.name,
            len(each.tasks),
            *(_share(len(each.passed.get(name, ())), len(each.tasks)) for name in audit.gradings),
            _share(len(audit.beyond(each, grading)), len(each.tasks)),
            len(each.undecided.get(grading, ())),
        )
        for each in audit.results
        if each.tasks
    ]
    gradings = [name or "passed" for name in audit.gradings]
    columns = ("Agent", "Tasks", *gradings, "Beyond refusals", "Undecided")
    note = f"Percent of tasks; beyond refusals and undecided are of {grading or 'the grading'}."
    return Table("Agents that solve nothing", columns, tuple(rows), note)


def _passed_table(audit: Audit) -> Table:
    """The tasks that agents pass in the deciding grading."""
    rows = sorted(_passed_rows(audit, deciding(audit)))
    return Table("Tasks passed unsolved", ("Task", "By"), tuple(rows))


def _passed_rows(audit: Audit, grading: str) -> Iterator[tuple[str, str]]:
    for task in audit.together(grading):
        played = [each for each in audit.results if task in each.tasks]
        by = [each.probe.name for each in played if task in audit.beyond(each, grading)]
        yield task, "every agent" if len(by) == len(played) else "; ".join(by)


def _lenient_table(audit: Audit) -> Table:
    """The shares of tasks that the other gradings let through, each with its rule."""
    rows = tuple(
        (
            name,
            audit.rules.get(name, ""),
            _share(len(audit.together(name)), len(audit.tasks)),
            worst.probe.name if (beyond := len(audit.beyond(worst, name))) else "",
            _share(beyond, len(worst.tasks)),
        )
        for name in audit.gradings
        if name != deciding(audit) and audit.together(name)
        for worst in [max(audit.results, key=lambda each: len(audit.beyond(each, name)))]
    )
    columns = ("Grading", "Rule", "All agents together", "Worst agent", "Worst agent alone")
    return Table("What other gradings let through", columns, rows, "Percent, beyond refusals.")


def _count_of_probes(audit: Audit) -> int:
    return sum(each.probe.name != REFUSAL for each in audit.results)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _share(count: int, total: int) -> float:
    return round(100 * count / total, 1) if total else 0.0


def _percent(count: int, total: int) -> str:
    return f"{count / total:.0%}" if total else "0%"
