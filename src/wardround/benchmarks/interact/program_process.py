"""Entry of the processes of test programs; a module of its own, as they import nothing else."""

from wardround.sandbox.test_programs.process import serve_programs
from wardround.scoring.published_functions import published_functions


def main(number: int) -> None:
    """Serves the processes of test programs, requested on the socket of this descriptor."""
    serve_programs(number, published_functions)
