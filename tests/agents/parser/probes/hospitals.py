"""The small hospitals that the probes ask about."""

import subprocess
import sys
from pathlib import Path

_NOW = "2100-12-31 23:59:00"


def make_hospital(name: str, folder: Path) -> Path:
    """Make the hospital `iv`, `iii`, `star` or `eicu` in a folder and return its SQLite file."""
    path = folder / f"{name}.sqlite"
    if path.exists():
        return path
    if name in ("eicu", "iii"):
        release, seed = {"eicu": ("eicu", 13), "iii": ("mimic_iii", 14)}[name]
        source = folder / f"release_{release}.sqlite"
        _make(release, 120, seed, source)
        layout = ["--layout", f"ehrsql_{release}", "--patients", "120", "--seed", str(seed)]
        _wardround("data", "prepare", str(source), *layout, "--now", _NOW, "--to", str(path))
    else:
        layouts = {"iv": ("ehrsql_mimic_iv", 11), "star": ("mimic_iv_star", 12)}
        layout_name, seed = layouts[name]
        _make(layout_name, 60, seed, path)
    return path


def _make(layout: str, patients: int, seed: int, path: Path) -> None:
    words = ["--layout", layout, "--patients", str(patients), "--seed", str(seed)]
    _wardround("data", "hospital", *words, "--workers", "1", "--to", str(path))


def _wardround(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "wardround", *words], check=True, capture_output=True)
