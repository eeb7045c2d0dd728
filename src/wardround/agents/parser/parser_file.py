"""Reads and writes parsers as files of arrays and JSON, which hold no code."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np

from wardround.agents.declarations import PARSER
from wardround.agents.parser.columns import Domain, column_types, read_values
from wardround.agents.parser.confidence import Calibration, Outcome
from wardround.agents.parser.grammar.grammar import grammar_of, read_grammar
from wardround.agents.parser.grammar_file import grammar_from_json, grammar_to_json
from wardround.agents.parser.kind_classifier import KindClassifier
from wardround.agents.parser.log_linear import LogLinearModel
from wardround.agents.parser.names.value_index import ValueIndex
from wardround.agents.parser.parser import Parser
from wardround.agents.parser.sql.forms import FillOrder, Slot, SqlForm, Variant
from wardround.agents.parser.word_alignment import WordAlignment
from wardround.core.errors import UserError
from wardround.ehr.database import Database
from wardround.ehr.records.map_file import map_from_json, map_to_json
from wardround.ehr.records.partial_schema import tables_of
from wardround.ehr.records.record_tables import record_database
from wardround.ehr.times import TimeFilter, template

FORMAT = PARSER.trained_format

_MODELS = ("form", "event", "whole", "answerable")


def save(parser: Parser, path: Path) -> None:
    """Write a parser to a file that only its owner can read, as it holds values of the records.

    Equal parsers give equal bytes.

    Raises:
        UserError: If the file exists.
    """
    if path.exists():
        raise UserError(f"{path} exists; name another file for the parser.")
    arrays: dict[str, Any] = {"header": np.frombuffer(_header(parser).encode(), np.uint8)}
    for name in _MODELS:
        model: LogLinearModel = getattr(parser.classifier, name)
        arrays |= {f"{name}.weights": model.weights, f"{name}.classes": model.classes}
    arrays["alignment.shares"] = parser.alignment.shares
    # Written whole or not at all: a truncated file cannot be read.
    with NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}-") as file:
        np.savez(file, **arrays)
        file.flush()
        os.link(file.name, path)


def load(path: Path) -> Parser:
    """Read a parser.

    Raises:
        UserError: If the file holds no parser, or one of another format.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        header = json.loads(bytes(arrays["header" if "header" in arrays else "about"]))
    except (OSError, ValueError, KeyError) as error:
        raise UserError(
            f"{path} is not the file of a parser; train one and name its file."
        ) from error
    if header["format"] != FORMAT:
        raise UserError(
            f"{path} is a parser of format {header['format']}, and this version reads format "
            f"{FORMAT}; train it anew."
        )
    return _parser(header, arrays)


def with_current_values(parser: Parser, database: Database) -> Parser:
    """The parser with the values and columns that a database has now.

    Raises:
        UserError: If the parser was trained on tables that the database lacks, or for another SQL
            dialect.
    """
    known = {table.lower() for table in database.tables()}
    trained = {domain.table for domain in parser.index.domains}
    if parser.records:
        trained = {*tables_of(parser.records)}
    if missing := sorted(table for table in trained if table.lower() not in known):
        raise UserError(
            f"Database {database.url} has no table {', '.join(missing)}, which the parser was "
            "taught on; train one on this database."
        )
    if others := parser.dialects - {database.dialect}:
        raise UserError(
            f"Database {database.url} is on {database.dialect}, and the parser was taught the SQL "
            f"of {', '.join(others)}; train one on this database."
        )
    records = parser.records
    tables = record_database(database, records) if records else database
    index = ValueIndex(read_values(parser.index.domains, tables), parser.index.ignored)
    if records:
        return replace(parser, index=index, grammar=grammar_of(records, database))
    columns = column_types(database)
    return replace(parser, index=index, columns=columns, grammar=read_grammar(columns, database))


def _header(parser: Parser) -> str:
    classifier = parser.classifier
    return json.dumps(
        {
            "format": FORMAT,
            "words": dict(parser.words),
            "records": map_to_json(parser.records) if parser.records else None,
            "threshold": parser.threshold,
            "calibration": parser.calibration,
            "outcomes": parser.outcomes,
            "grammar_confidence": parser.grammar_confidence,
            "aligned": list(parser.alignment.vocabulary),
            "grammar": grammar_to_json(parser.grammar) if parser.grammar else None,
            "columns": parser.columns,
            "values": list(parser.index.domains.items()),
            "ignored": list(parser.index.ignored),
            "forms": classifier.forms,
            "events": classifier.events,
            "vocabularies": {n: list(getattr(classifier, n).vocabulary) for n in _MODELS},
            "variants": [_variant_to_json(variant) for variant in parser.variants],
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _parser(header: dict[str, Any], arrays: Mapping[str, Any]) -> Parser:
    models = {
        name: LogLinearModel(
            {feature: row for row, feature in enumerate(header["vocabularies"][name])},
            arrays[f"{name}.weights"],
            arrays[f"{name}.classes"],
        )
        for name in _MODELS
    }
    values = {_domain(domain): tuple(each) for domain, each in header["values"]}
    return Parser(
        ValueIndex(values, header["ignored"]),
        header["columns"],
        tuple(_variant_from_json(item) for item in header["variants"]),
        KindClassifier(**models, forms=tuple(header["forms"]), events=tuple(header["events"])),
        Calibration(*map(tuple, header["calibration"])),
        header["threshold"],
        WordAlignment(
            {word: column for column, word in enumerate(header["aligned"])},
            arrays["alignment.shares"],
        ),
        grammar_from_json(header["grammar"]) if header["grammar"] else None,
        header["grammar_confidence"],
        tuple(Outcome(*outcome) for outcome in header["outcomes"]),
        header["words"],
        map_from_json(header["records"]) if header["records"] else None,
    )


def _variant_to_json(variant: Variant) -> dict[str, Any]:
    form = variant.form
    return {
        "kind": variant.kind,
        "sql": form.sql,
        "slots": form.slots,
        "roles": form.roles,
        "dialect": form.dialect,
        "constants": [(index, f.template.id, dict(f.values)) for index, f in form.constants],
        "order": variant.order,
        "usual_times": variant.usual_times,
        "wording": variant.wording,
        "numbers": variant.numbers,
    }


def _variant_from_json(entry: dict[str, Any]) -> Variant:
    slots = tuple(
        Slot(_domain(domain) if domain else None, context) for domain, context in entry["slots"]
    )
    constants = tuple(
        (index, TimeFilter(template(id), values)) for index, id, values in entry["constants"]
    )
    form = SqlForm(entry["sql"], slots, tuple(entry["roles"]), constants, entry["dialect"])
    order = FillOrder(*map(tuple, entry["order"]))
    numbers = tuple(map(tuple, entry["numbers"]))
    usual_times = tuple(entry["usual_times"])
    return Variant(form, entry["kind"], order, usual_times, entry["wording"], numbers)


def _domain(entry: list[Any]) -> Domain:
    table, column, where = entry
    return Domain(table, column, tuple((name, value) for name, value in where))
