"""The small hospitals that the probes ask about."""

import subprocess
import sys
from pathlib import Path

from tests.hospitals import built, hospital_file

_NOW = "2100-12-31 23:59:00"


def make_hospital(name: str) -> Path:
    """The SQLite file of the hospital `iv`, `iii`, `star` or `eicu`."""
    if name in ("eicu", "iii"):
        release, seed = {"eicu": ("eicu", 13), "iii": ("mimic_iii", 14)}[name]
        return built(f"probes-{name}.sqlite", lambda path: _prepare(release, seed, path))
    layout, seed = {"iv": ("ehrsql_mimic_iv", 11), "star": ("mimic_iv_star", 12)}[name]
    return hospital_file(layout, 60, seed, "sqlite")


def _prepare(release: str, seed: int, path: Path) -> None:
    source = hospital_file(release, 120, seed, "sqlite")
    layout = ["--layout", f"ehrsql_{release}", "--patients", "120", "--seed", str(seed)]
    words = ["data", "prepare", str(source), *layout, "--now", _NOW, "--to", str(path)]
    subprocess.run([sys.executable, "-m", "wardround", *words], check=True, capture_output=True)
