"""The identifiers of the patients that a person may see, as conditions on rows."""

from collections.abc import Collection, Iterable, Sequence

from wardround.core.errors import UserError
from wardround.ehr.database.engine import RowCopy
from wardround.ehr.database.names import quote_name
from wardround.ehr.ingest.identifying_columns import IdentifyingColumn, IdentifyingColumns
from wardround.ehr.ingest.patient_removal import sql_list


class OwnIdentifiers:
    """The identifiers of some patients and of their stays, in temporary tables of a copy.

    Args:
        opened: the open copy.
        identifying: the identifying columns of its source.
    """

    def __init__(self, opened: RowCopy, identifying: IdentifyingColumns) -> None:
        self._opened = opened
        self._types = identifying.types
        self._tables = identifying.tables

    def keep(
        self, location: str, patients: Collection[str], in_units: Collection[str] | None
    ) -> None:
        """Notes the identifiers as they are stored.

        Args:
            location: The database's location, for the message about an unknown patient.
            patients: The patients; empty for all who meet the other limit.
            in_units: The patients of some units; None without this limit.

        Raises:
            UserError: A patient does not exist.
        """
        level, *lower = self._types
        everyone = _union(
            f"SELECT {quote_name(owner.name)} AS id FROM {self._opened.source(table)}"  # noqa: S608
            for table in self._tables
            for owner in self._owners(table, [level])
            if owner.is_like(self._types[level])  # 7.0 is not found as 7
        )
        limits = [each for each in (patients or None, in_units) if each is not None]
        condition = " AND ".join(
            f"CAST(id AS VARCHAR) IN ({sql_list(each)})" if each else "1 = 0" for each in limits
        )
        if patients:
            stored = f"SELECT CAST(id AS VARCHAR) FROM ({everyone}) e WHERE CAST(id AS VARCHAR) IN "  # noqa: S608
            rows = self._opened.query(f"{stored}({sql_list(patients)})")
            if absent := sorted(set(patients) - {str(row[0]) for row in rows}):
                raise UserError(f"Database {location} has no {level} {', '.join(absent)}.")
        sql = f"SELECT id FROM ({everyone}) e WHERE {condition}"  # noqa: S608
        self._opened.execute(f"CREATE TEMP TABLE {_temporary_table(level)} AS {sql}")
        higher = [level]
        for each in lower:
            self._keep_stays(each, higher)
            higher.append(each)

    def own_row(self, table: str) -> str:
        """The condition that a row has an identifier of the patients and none of anyone else.

        Returns:
            The condition; "" if the table does not say whose its rows are.
        """
        owners = self._owners(table, self._types)
        return self._owned(owners, self._tables[table]) if owners else ""

    def _keep_stays(self, level: str, higher: Sequence[str]) -> None:
        """Notes the identifiers, such as stays, that belong to the patients and to nobody else."""
        owned = [
            (self._opened.source(table), self._value(stay), owners)
            for table in self._tables
            for stay in self._owners(table, [level])
            if (owners := self._owners(table, higher))
        ]
        stays = _union(
            f"SELECT {value} AS id FROM {source} WHERE {self._owned(owners, owners)}"  # noqa: S608
            for source, value, owners in owned
        )
        nobody = f"SELECT CAST(NULL AS {self._types[level]}) AS id"
        self._opened.execute(f"CREATE TEMP TABLE {_temporary_table(level)} AS {stays or nobody}")
        for source, value, owners in owned:
            shared = f"SELECT {value} AS id FROM {source} WHERE NOT {self._of_nobody_else(owners)}"  # noqa: S608
            self._opened.execute(
                f"DELETE FROM {_temporary_table(level)} WHERE id IN "  # noqa: S608
                f"(SELECT id FROM ({shared}) e WHERE id IS NOT NULL)"
            )
        self._opened.execute(f"DELETE FROM {_temporary_table(level)} WHERE id IS NULL")  # noqa: S608

    def _owners(self, table: str, levels: Collection[str]) -> list[IdentifyingColumn]:
        return [each for each in self._tables[table] if each.is_owner and each.level in levels]

    def _owned(
        self, owners: Sequence[IdentifyingColumn], named: Sequence[IdentifyingColumn]
    ) -> str:
        filled = " OR ".join(f"{quote_name(owner.name)} IS NOT NULL" for owner in owners)
        return f"(({filled}) AND {self._of_nobody_else(named)})"

    def _of_nobody_else(self, columns: Sequence[IdentifyingColumn]) -> str:
        """The condition that each identifier of a row is missing or of the patients."""
        each = (f"({quote_name(c.name)} IS NULL OR {self._membership(c)})" for c in columns)
        return f"({' AND '.join(each)})"

    def _membership(self, column: IdentifyingColumn) -> str:
        known = f"SELECT id FROM {_temporary_table(column.level)}"  # noqa: S608
        # An identifier that cannot be compared is of somebody else.
        return f"COALESCE({self._value(column)} IN ({known}), FALSE)"

    def _value(self, column: IdentifyingColumn) -> str:
        return column.value(self._types[column.level], self._opened.dialect)


def _union(queries: Iterable[str]) -> str:
    """The distinct rows of queries; the first query gives the type."""
    return " UNION ".join(queries)


def _temporary_table(level: str) -> str:
    """The temporary table of the identifiers that a person may see."""
    return f"own_{level}"
