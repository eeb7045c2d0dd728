"""GoogleSQL's own analyser as a WebAssembly module, compiled once a machine."""

import importlib.metadata
from ctypes import c_void_p, cast, memmove, string_at
from pathlib import Path
from threading import RLock
from typing import Any

from wardround.core.folders import cache_folder
from wardround.core.private_files import make_folder, write_whole


class WasmModule:
    """A running instance; calls from several threads wait for each other.

    Args:
        path: The compiled module.
    """

    def __init__(self, path: Path) -> None:
        import wasmtime

        engine = _engine()
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        self._store = wasmtime.Store(engine)
        self._store.set_wasi(_time_zones(wasmtime.WasiConfig()))
        compiled = wasmtime.Module.deserialize_file(engine, str(path))
        self._exports: Any = linker.instantiate(self._store, compiled).exports(self._store)
        self._exports["_initialize"](self._store)
        self._lock = RLock()

    def call(self, method: str, request: bytes) -> tuple[bytes, str]:
        """The response of a method, and its error message, which is empty on success."""
        with self._lock:
            address = self._allocate(request)
            size = self._allocate(bytes(4))
            try:
                answer = self._exports[f"ZetaSqlLocalService_{method}"](
                    self._store, address, len(request), size
                )
                if not answer:
                    return b"", self._last_error()
                return self._response(answer, int.from_bytes(self._read(size, 4), "little")), ""
            finally:
                self._exports["wasm_free"](self._store, address)
                self._exports["wasm_free"](self._store, size)

    def _response(self, address: int, size: int) -> bytes:
        try:
            return self._read(address, size)
        finally:
            self._exports["wasm_free"](self._store, address)

    def _last_error(self) -> str:
        size = self._exports["wasm_get_last_error_size"](self._store)
        address = self._exports["wasm_get_last_error"](self._store)
        return self._read(address, size).decode(errors="replace")

    def _allocate(self, data: bytes) -> int:
        address: int = self._exports["wasm_malloc"](self._store, len(data))
        memmove(self._address(address), data, len(data))
        return address

    def _read(self, address: int, size: int) -> bytes:
        return string_at(self._address(address), size)

    def _address(self, address: int) -> int:
        start = cast(self._exports["memory"].data_ptr(), c_void_p).value or 0
        return start + address


def _time_zones(wasi: Any) -> Any:
    import tzdata

    folder = Path(tzdata.__file__).parent / "zoneinfo"
    wasi.preopen_dir(str(folder), "/usr/share/zoneinfo")
    return wasi


def compiled_path() -> Path:
    """The module as machine code in the user's cache; the first call on a machine compiles it."""
    import wasmtime
    from zetasql.wasi import get_wasm_path

    versions = [importlib.metadata.version(name) for name in ("zetasql", "wasmtime")]
    path = cache_folder() / f"googlesql-{'-'.join(versions)}.bin"
    engine = _engine()
    if path.is_file():
        try:
            wasmtime.Module.deserialize_file(engine, str(path))
            return path
        except wasmtime.WasmtimeError:  # compiled for another processor: compile it again
            path.unlink(missing_ok=True)
    _store(path, bytes(wasmtime.Module.from_file(engine, get_wasm_path()).serialize()))
    return path


def _engine() -> Any:
    import wasmtime

    config = wasmtime.Config()
    config.shared_memory = True
    return wasmtime.Engine(config)


def _store(path: Path, code: bytes) -> None:
    make_folder(path.parent)
    write_whole(path, code)
