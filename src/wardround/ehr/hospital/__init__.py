"""A synthetic hospital of any size: same seed, same rows, synthetic patients only."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wardround.ehr.hospital.build import build_hospital
    from wardround.ehr.hospital.default import default_hospital, default_hospital_on_server
    from wardround.ehr.hospital.digest import content_digest

__all__ = ["build_hospital", "content_digest", "default_hospital", "default_hospital_on_server"]

# Imported on first use: where the default hospital lies is known without what builds one.
_MODULES = {
    "build_hospital": "build",
    "content_digest": "digest",
    "default_hospital": "default",
    "default_hospital_on_server": "default",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
