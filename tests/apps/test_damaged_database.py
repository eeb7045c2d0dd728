"""Every command that opens a damaged SQLite file names it in a one-sentence error."""

import shutil
from pathlib import Path

import pytest

from tests.apps.commands import Cli
from tests.cases import one_in
from tests.hospitals import hospital_file

PAGE = 4096


def third(content: bytes) -> int:
    """The offset of the first page after a third of the file."""
    return len(content) // PAGE // 3 * PAGE


DAMAGES = {
    "cut": lambda content: content[: len(content) // 2],
    "middle": lambda content: (
        content[: third(content)] + b"\7" * third(content) + content[2 * third(content) :]
    ),
    "schema": lambda content: content[:100] + b"\xff" * (PAGE - 100) + content[PAGE:],
}
COMMANDS = [
    "doctor mimic_iv.sqlite",
    "data prepare mimic_iv.sqlite --layout ehrsql_mimic_iv --to made.sqlite",
    "data rename mimic_iv_star ehrsql_mimic_iv.sqlite --to made.sqlite",
    "data remove-patient ehrsql_mimic_iv.sqlite 10000032",
    "data remove-patient ehrsql_mimic_iv.sqlite 10000032 --dry-run",
    "ask Q --database ehrsql_mimic_iv.sqlite",
]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an intact database of each layout."""
    folder = tmp_path_factory.mktemp("whole")
    for layout in ("mimic_iv", "ehrsql_mimic_iv"):
        shutil.copyfile(hospital_file(layout, 8, 3, "sqlite"), folder / f"{layout}.sqlite")
    return folder


@pytest.mark.parametrize("command", one_in(3, COMMANDS))
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_named(
    cli: Cli,
    whole: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    damage: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    name = next(word for word in command.split() if word.endswith("mimic_iv.sqlite"))
    shutil.copy(whole / name, name)
    Path(name).write_bytes(DAMAGES[damage](Path(name).read_bytes()))
    result = cli(*command.split())
    assert result.code == 2
    (error,) = (line for line in result.err.splitlines() if line.startswith("Error: "))
    assert f"{name} is damaged" in error or f"{name} cannot be read" in error
    assert not Path("made.sqlite").exists()
