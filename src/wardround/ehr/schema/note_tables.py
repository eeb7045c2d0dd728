"""The tables of MIMIC-IV-Note, which is released apart from MIMIC-IV and extends its schema."""

from wardround.ehr.schema.model import Column, ForeignKey, Table

_COLUMNS = (
    Column("note_id", "TEXT", "Identifier: patient, type and number, as in 10000032-DS-21"),
    Column("subject_id", "INTEGER", "Patient"),
    Column("hadm_id", "INTEGER", "Hospital stay", null=True),
    Column("note_type", "TEXT", "DS: discharge summary. RR: radiology report"),
    Column("note_seq", "INTEGER", "Number among the patient's notes of the type, by time"),
    Column("charttime", "TIMESTAMP", "Time of the note; midnight if only its day is known"),
    Column("storetime", "TIMESTAMP", "Time at which the note was stored", null=True),
    Column("text", "TEXT", "The note"),
)
_KEYS = (
    ForeignKey("subject_id", "patients", "subject_id"),
    ForeignKey("hadm_id", "admissions", "hadm_id"),
)
_INDEXES = (("subject_id",), ("hadm_id",))


def _table(name: str, meaning: str) -> Table:
    return Table(name, meaning, _COLUMNS, ("note_id",), _KEYS, "note", _INDEXES)


NOTE_TABLES = (
    _table("discharge", "Discharge summaries"),
    _table("radiology", "Radiology reports"),
)
