"""Figures as self-contained SVG; text takes the page's colour."""

from pathlib import Path

from wardround.core.benchmark import Summary
from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.core.private_files import make_folder, write_whole
from wardround.report.svg.bars import bar_chart, cell_chart, share_chart
from wardround.report.svg.lines import line_chart


def to_svg(figure: Figure) -> str:
    """The figure as one `<svg>` element."""
    match figure:
        case Curve():
            return line_chart(figure)
        case Bars():
            return bar_chart(figure)
        case Shares():
            return share_chart(figure)
        case Cells():
            return cell_chart(figure)


def has_data(figure: Figure) -> bool:
    """True if the figure has a non-zero value."""
    match figure:
        case Curve():
            return any(figure.lines.values())
        case Bars():
            return any(any(values) for values in figure.series.values())
        case Shares():
            return any(any(values) for values in figure.parts.values())
        case Cells():
            return any(any(values) for values in figure.rows.values())


def save_plots(summary: Summary, folder: Path) -> list[Path]:
    """Writes each figure with data to the folder as an SVG file, and returns the paths."""
    make_folder(folder)
    figures = {name: figure for name, figure in summary.figures.items() if has_data(figure)}
    paths = [folder / f"{name}.svg" for name in figures]
    for path, figure in zip(paths, figures.values(), strict=True):
        write_whole(path, f"{to_svg(figure)}\n".encode())
    return paths
