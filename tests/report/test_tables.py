import json

from hypothesis import given
from hypothesis import strategies as st

from wardround.core.benchmark import Summary, Table
from wardround.core.figures import Curve
from wardround.report.tables import cell_text, formatted, summary_to_json, to_json

TABLE = Table(
    "Results",
    ("Flow", "SR-5", "SR-5 low", "SR-5 high", "Tasks", "A low"),
    (("IncreQA", 73.3, 65.1, 80.2, 1200, 1), ("[bold]all", None, None, None, 0, None)),
    "Percent.",
)


def test_figure_and_interval_share_a_cell() -> None:
    text = formatted(TABLE)
    assert text.columns == ("Flow", "SR-5", "Tasks", "A low")
    assert text.rows == (
        ("IncreQA", "73.3 [65.1, 80.2]", "1,200", "1"),
        ("[bold]all", "-", "0", "-"),
    )
    assert text.numeric == (False, True, True, True)


def test_gain_follows_the_figure() -> None:
    columns = ("First", "First gained", "First low", "First high", "Reward", "Reward gained")
    text = formatted(Table("T", columns, ((9.5, 0.5, 7.0, 12.0, 3.0, None),)))
    assert (text.columns, text.rows) == (("First", "Reward"), (("9.5 (+0.5) [7.0, 12.0]", "3.0"),))


def test_json_has_the_same_names_and_figures() -> None:
    value = to_json(TABLE)
    assert value["rows"][0] == {
        "Flow": "IncreQA",
        "SR-5": 73.3,
        "SR-5 low": 65.1,
        "SR-5 high": 80.2,
        "Tasks": 1200,
        "A low": 1,
    }
    assert json.loads(json.dumps(value)) == value


def test_a_summary_as_json() -> None:
    curve = Curve("C", "x", "y", {"a": ((1.0, 2.0),)})
    value = json.loads(json.dumps(summary_to_json(Summary({"t": TABLE}, {"c": curve}))))
    assert value["tables"]["t"]["title"] == "Results"
    assert value["figures"]["c"]["lines"] == {"a": [[1.0, 2.0]]}


@given(st.floats(-1e6, 1e6).map(lambda x: round(x, 6)))
def test_a_printed_figure_is_the_figure(value: float) -> None:
    assert float(cell_text(value).replace(",", "")) == value
