"""Hides one patient: every table that names patients is read without that patient's rows."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlglot import exp

from wardround.ehr.database.interface import QueryError

# The columns that name patients.
PATIENTS = ("subject_id", "person_id")
# A table with these but without the patient would still tell of the patient's stays.
_LINKS = frozenset(
    {
        *("hadm_id", "stay_id", "transfer_id", "specimen_id", "pharmacy_id"),
        *("visit_occurrence_id", "visit_detail_id", "note_id", "episode_id"),
        *("cost_event_id", "event_id", "fact_id_1", "fact_id_2"),
    }
)


@dataclass(frozen=True)
class Overlay:
    """A database without one patient.

    Attributes:
        subject_id: The key of the patient whose rows are hidden.
    """

    subject_id: int

    def filtered(self, table: exp.Table, columns: Collection[str]) -> exp.Expr:
        """The table's other rows; the table itself if it names no patients.

        >>> from sqlglot.expressions import to_table
        >>> Overlay(7).filtered(to_table("main.patients"), ["subject_id"]).sql("duckdb")
        '(SELECT * FROM main.patients WHERE subject_id IS DISTINCT FROM 7)'
        >>> Overlay(7).filtered(to_table("main.d_items"), ["itemid"]).sql("duckdb")
        'main.d_items'

        Raises:
            QueryError: It names stays without their patients.
        """
        patient = next((column for column in PATIENTS if column in columns), None)
        if patient is None:
            if not _LINKS.isdisjoint(columns):
                message = f"Table {table.name} names no patients and cannot be read here."
                raise QueryError(message, "denied")
            return table
        condition = exp.NullSafeNEQ(
            this=exp.column(patient), expression=exp.Literal.number(self.subject_id)
        )
        return exp.select("*").from_(table.copy()).where(condition).subquery()
