"""A parser in one file: arrays of numbers, and JSON for the rest; nothing in it is ever run."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from wardround.agents.parser.alignment import Form, Said, Slot
from wardround.agents.parser.columns import Domain
from wardround.agents.parser.confidence import Calibration
from wardround.agents.parser.kind_classifier import Decider
from wardround.agents.parser.kinds import Speech, Variant
from wardround.agents.parser.log_linear import Model
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.value_linker import ValueIndex
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.times import TimeFilter, template

FORMAT = 3

_MODELS = ("form", "event", "whole", "answerable")


def save(parser: Parser, path: Path) -> None:
    """Write a parser to a file; the same parser gives the same bytes.

    Raises:
        UserError: If there is such a file.
    """
    if path.exists():
        raise UserError(f"{path} exists; name another file for the parser.")
    arrays: dict[str, Any] = {"about": np.frombuffer(_about(parser).encode(), np.uint8)}
    for name in _MODELS:
        model: Model = getattr(parser.decider, name)
        arrays |= {f"{name}.weights": model.weights, f"{name}.kinds": model.kinds}
    # A file that is cut off would be no parser.
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-") as file:
        np.savez(file, **arrays)
        file.flush()
        Path(file.name).chmod(0o644)
        os.link(file.name, path)


@dataclass(frozen=True)
class Stored:
    """What a file of a parser holds.

    Attributes:
        about: All but the numbers.
        tables: The numbers.
    """

    about: dict[str, Any]
    tables: Mapping[str, Any]


def load(path: Path, database: Database) -> Parser:
    """The parser of a file, for the values that the database has now.

    Raises:
        UserError: If it is no such file, one of another format, or taught on other tables.
    """
    return laid_on(read_stored(path), database)


def read_stored(path: Path) -> Stored:
    """What is in a parser's file.

    Raises:
        UserError: If it is no such file, or one of another format.
    """
    try:
        with np.load(path, allow_pickle=False) as arrays:
            about = json.loads(bytes(arrays["about"]))
            tables = {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, KeyError) as error:
        raise UserError(f"{path} is no file of a parser; train one and name its file.") from error
    if about["format"] != FORMAT:
        raise UserError(
            f"{path} is a parser of format {about['format']}, and this version reads format "
            f"{FORMAT}; train it anew."
        )
    return Stored(about, tables)


def laid_on(stored: Stored, database: Database) -> Parser:
    """The parser for the values that a database has now.

    Raises:
        UserError: If the parser was taught on tables that the database lacks, or another engine.
    """
    known = {table.lower() for table in database.tables()}
    taught = {str(table) for table, _, _ in stored.about["domains"]}
    if lacking := sorted(table for table in taught if table.lower() not in known):
        raise UserError(
            f"Database {database.url} has no table {', '.join(lacking)}, which the parser was "
            "taught on; train one on this database."
        )
    if written := {one["dialect"] for one in stored.about["variants"]} - {database.dialect}:
        raise UserError(
            f"Database {database.url} is on {database.dialect}, and the parser was taught the SQL "
            f"of {', '.join(written)}; train one on this database."
        )
    return _parser(stored.about, stored.tables, database)


def _about(parser: Parser) -> str:
    decider = parser.decider
    return json.dumps(
        {
            "format": FORMAT,
            "learnt_from": parser.learnt_from,
            "words": dict(parser.words),
            "threshold": parser.threshold,
            "calibration": parser.calibration,
            "ignored": parser.ignored,
            "domains": parser.speech.domains,
            "fixed": sorted(parser.speech.fixed),
            "spoken": sorted(parser.speech.spoken),
            "forms": decider.forms,
            "events": decider.events,
            "vocabularies": {n: list(getattr(decider, n).vocabulary) for n in _MODELS},
            "variants": [_variant_out(one) for one in parser.variants],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _parser(about: dict[str, Any], tables: Mapping[str, Any], database: Database) -> Parser:
    speech = Speech(
        tuple(_domain(domain) for domain in about["domains"]),
        frozenset(about["fixed"]),
        frozenset(about["spoken"]),
    )
    models = {
        name: Model(
            {feature: at for at, feature in enumerate(about["vocabularies"][name])},
            tables[f"{name}.weights"],
            tables[f"{name}.kinds"],
        )
        for name in _MODELS
    }
    return Parser(
        database,
        ValueIndex(speech.domains, database, about["ignored"]),
        tuple(_variant(one) for one in about["variants"]),
        speech,
        tuple(about["ignored"]),
        Decider(
            **models,
            forms=tuple(about["forms"]),
            events=tuple(about["events"]),
        ),
        Calibration(*map(tuple, about["calibration"])),
        about["threshold"],
        about["words"],
        about["learnt_from"],
    )


def _variant_out(variant: Variant) -> dict[str, Any]:
    form = variant.form
    return {
        "kind": variant.kind,
        "sql": form.sql,
        "slots": form.slots,
        "roles": form.roles,
        "dialect": form.dialect,
        "constants": [(p, f.template.id, dict(f.values)) for p, f in form.constants],
        "said": variant.said,
        "usual": variant.usual,
        "wording": variant.wording,
        "numbers": variant.numbers,
    }


def _variant(entry: dict[str, Any]) -> Variant:
    slots = tuple(
        Slot(_domain(domain) if domain else None, context) for domain, context in entry["slots"]
    )
    constants = tuple(
        (place, TimeFilter(template(id), values)) for place, id, values in entry["constants"]
    )
    form = Form(entry["sql"], slots, tuple(entry["roles"]), constants, entry["dialect"])
    said = Said(*map(tuple, entry["said"]))
    numbers = tuple(map(tuple, entry["numbers"]))
    return Variant(form, entry["kind"], said, tuple(entry["usual"]), entry["wording"], numbers)


def _domain(entry: list[Any]) -> Domain:
    table, column, where = entry
    return Domain(table, column, tuple((name, value) for name, value in where))
