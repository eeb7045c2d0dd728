"""Table definitions of the clinical databases, one data file for each schema and renaming."""

from wardround.ehr.schema.model import Column, ForeignKey, Renaming, Schema, Table
from wardround.ehr.schema.note_tables import NOTE_TABLES
from wardround.ehr.schema.recognition import Difference, difference, headless_tables, recognise
from wardround.ehr.schema.reference import reference
from wardround.ehr.schema.schema_files import load_renaming, load_schema, schema_names
from wardround.ehr.schema.statements import (
    column_type,
    create_statement,
    create_statements,
    index_statements,
    quoted,
    reference_statements,
)

__all__ = [
    "NOTE_TABLES",
    "Column",
    "Difference",
    "ForeignKey",
    "Renaming",
    "Schema",
    "Table",
    "column_type",
    "create_statement",
    "create_statements",
    "difference",
    "headless_tables",
    "index_statements",
    "load_renaming",
    "load_schema",
    "quoted",
    "recognise",
    "reference",
    "reference_statements",
    "schema_names",
]
