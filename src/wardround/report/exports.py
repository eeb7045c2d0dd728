"""Tables as CSV for spreadsheets and data frames, and as LaTeX for papers."""

import csv
import io

from wardround.core.benchmark import Summary, Table
from wardround.core.errors import UserError
from wardround.report.tables import formatted

_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
    }
)


def only_table(summary: Summary, name: str) -> Summary:
    """The summary with the table of that name alone, and no figures.

    Raises:
        UserError: there is no such table.
    """
    if name not in summary.tables:
        raise UserError(f"There is no table {name!r}; the tables are {', '.join(summary.tables)}.")
    return Summary({name: summary.tables[name]})


def to_csv(table: Table) -> str:
    r"""The table as CSV: figures in full, ends of intervals as columns, empty cells for none.

    >>> to_csv(Table("T", ("Flow", "SR", "SR low"), (("all", 73.3, None),)))
    'Flow,SR,SR low\r\nall,73.3,\r\n'
    """
    text = io.StringIO()
    csv.writer(text).writerows([table.columns, *table.rows])
    return text.getvalue()


def to_latex(table: Table, name: str) -> str:
    r"""The table as LaTeX with booktabs' rules, its title as caption and its note below.

    Args:
        table: the table; an interval shares the cell of its figure.
        name: the table's name, for its label.

    >>> print(to_latex(Table("Results", ("Flow", "SR"), (("a_b", 73.3),), "Percent."), "sr"))
    \begin{table}
      \caption{Results}
      \label{tab:sr}
      \begin{tabular}{lr}
        \toprule
        Flow & SR \\
        \midrule
        a\_b & 73.3 \\
        \bottomrule
      \end{tabular}
      \par\small Percent.
    \end{table}
    """
    shown = formatted(table)
    alignment = "".join("r" if numeric else "l" for numeric in shown.numeric)
    lines = [
        r"\begin{table}",
        rf"  \caption{{{_escaped(shown.title)}}}",
        rf"  \label{{tab:{name}}}",
        rf"  \begin{{tabular}}{{{alignment}}}",
        r"    \toprule",
        _row(shown.columns),
        r"    \midrule",
        *map(_row, shown.rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        *([rf"  \par\small {_escaped(shown.note)}"] if shown.note else []),
        r"\end{table}",
    ]
    return "\n".join(lines)


def _row(cells: tuple[str, ...]) -> str:
    return f"    {' & '.join(map(_escaped, cells))} \\\\"


def _escaped(text: str) -> str:
    return " ".join(text.translate(_ESCAPES).split())
