"""The command `wardround`, also run as `python -m wardround`."""

import gc
import sys

# Imports make many objects that stay; collecting among them takes a tenth of a start.
_ALLOCATIONS_BETWEEN_COLLECTIONS = 200_000


def main() -> None:
    """Runs the command line."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    from wardround.apps.command_line import main as run

    try:
        run()
    finally:
        # The exit searches all objects for garbage, which is a fifth of `run NAME --help`. DuckDB
        # needs that search: objects that are alive after it are reported on standard error.
        if "duckdb" not in sys.modules:
            gc.freeze()


if __name__ == "__main__":
    main()
