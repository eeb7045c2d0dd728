"""Rewrites a query's syntax tree for a renaming of its schema."""

from sqlglot import exp

from wardround.ehr.schema.model import Renaming


def renamed(query: exp.Expr, names: Renaming) -> exp.Expr:
    """Rename the tables, columns and values of a query.

    Every column must be qualified by its table or alias, and aliases must be unique in the query.

    >>> import sqlglot
    >>> from wardround.ehr.schema import load_renaming
    >>> names = load_renaming("mimic_iv_star")
    >>> renamed(sqlglot.parse_one("SELECT patients.dob FROM patients"), names).sql()
    'SELECT demographics.dateofbirth FROM demographics'
    """
    query = query.copy()
    derived = {part.alias: part for part in query.find_all(exp.Subquery) if part.alias}
    columns = list(query.find_all(exp.Column))
    new = [(column, _new_name(column, derived, names)) for column in columns]
    _rename_values(query, names)
    for column, name in new:
        column.set("this", exp.to_identifier(name))
        if column.table in names.tables:
            column.set("table", exp.to_identifier(names.tables[column.table]))
    for table in query.find_all(exp.Table):
        table.set("this", exp.to_identifier(names.tables.get(table.name, table.name)))
    return query


def _new_name(column: exp.Column, derived: dict[str, exp.Subquery], names: Renaming) -> str:
    if column.table in names.columns:
        return names.columns[column.table].get(column.name, column.name)
    if column.table not in derived:
        return column.name
    for selected in derived[column.table].this.expressions:
        if isinstance(selected, exp.Column) and selected.name == column.name:
            return _new_name(selected, derived, names)
    return column.name


def _rename_values(query: exp.Expr, names: Renaming) -> None:
    for equal in query.find_all(exp.EQ):
        column, value = equal.this, equal.expression
        if isinstance(column, exp.Column) and isinstance(value, exp.Literal):
            new = names.value(column.table, column.name, value.name)
            if new != value.name:
                value.replace(exp.Literal.string(new))
