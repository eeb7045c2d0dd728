"""The command `wardround`, also run as `python -m wardround`."""

import gc

# Imports make many objects that stay; collecting among them takes a tenth of a start.
_ALLOCATIONS_BETWEEN_COLLECTIONS = 200_000


def main() -> None:
    """Runs the command line."""
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    from wardround.apps.command_line import main as run

    try:
        run()
    finally:
        # The exit would search all objects for garbage, which costs a fifth of `run NAME --help`.
        gc.freeze()


if __name__ == "__main__":
    main()
