"""Scores the scripted user on held-out instructions, in an aggregate figure only.

Run as `python -m bench.held_out_instructions final`; developers of the user never read that file.
"""

import sys

from tests.people.test_held_out_instructions import cases, misses


def main(name: str = "final") -> None:
    """Prints the share of instructions that are carried out."""
    instructions = cases(f"held_out/{name}.jsonl")
    right = len(instructions) - len(misses(instructions))
    percent = 100 * right / len(instructions)
    print(f"{name}: {percent:.1f} % ({right} of {len(instructions)})")


if __name__ == "__main__":
    main(*sys.argv[1:])
