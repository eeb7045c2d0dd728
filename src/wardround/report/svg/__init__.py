"""Figures as SVG that stands by itself: axes, grid, legend; text takes the page's colour."""

from wardround.core.figures import Bars, Cells, Curve, Figure, Shares
from wardround.report.svg.bars import bar_chart, share_chart
from wardround.report.svg.cells import cell_chart
from wardround.report.svg.lines import line_chart


def drawn(figure: Figure) -> str:
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
