"""The facts that `wardround doctor` prints about a FHIR record."""

from pathlib import Path

import typer

FHIR_LAYOUT = "fhir_r4"


def show_record(path: Path, as_json: bool) -> None:
    """Prints the facts about a record, and the benchmarks that run on one."""
    from wardround.core.declared import layouts_by_benchmark
    from wardround.ehr.fhir.inspection import inspect_record

    facts = inspect_record(path)
    if as_json:
        import orjson

        typer.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2).decode())
        return
    typer.echo(f"{facts.location}: FHIR R4 record, {facts.bytes:,} bytes")
    typer.echo(f"From {facts.source or 'an unnamed source'}; times in {facts.zone}")
    typer.echo(f"{'Type':28}{'Resources':>10}  {'Known from':12}{'to':12}")
    for each in facts.types:
        typer.echo(f"{each.type:28}{each.count:>10,}  {each.first:12}{each.last:12}".rstrip())
    for pair, count in facts.dangling.items():
        typer.echo(f"{count:,} references from {pair} lead to resources that are not here.")
    suited = [
        name
        for name, layouts in layouts_by_benchmark().items()
        if any(layout.name == FHIR_LAYOUT for layout in layouts)
    ]
    if suited:
        typer.echo(f"Suitable for: {', '.join(sorted(suited))}.")
