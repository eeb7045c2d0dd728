"""Hides one patient: every table that names patients is read without that patient's rows."""

from collections.abc import Collection
from dataclasses import dataclass

from sqlglot import exp

PATIENT = "subject_id"


@dataclass(frozen=True)
class Overlay:
    """A database without one patient.

    Attributes:
        subject_id: The patient whose rows are hidden.
    """

    subject_id: int

    def filtered(self, table: exp.Table, columns: Collection[str]) -> exp.Expr:
        """The table's other rows; the table itself if it names no patients.

        >>> from sqlglot.expressions import to_table
        >>> Overlay(7).filtered(to_table("main.patients"), ["subject_id"]).sql("duckdb")
        '(SELECT * FROM main.patients WHERE subject_id IS DISTINCT FROM 7)'
        >>> Overlay(7).filtered(to_table("main.d_items"), ["itemid"]).sql("duckdb")
        'main.d_items'
        """
        if PATIENT not in columns:
            return table
        condition = exp.NullSafeNEQ(
            this=exp.column(PATIENT), expression=exp.Literal.number(self.subject_id)
        )
        return exp.select("*").from_(table.copy()).where(condition).subquery()
