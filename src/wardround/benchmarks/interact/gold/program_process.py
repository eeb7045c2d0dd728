"""Entry point of the processes of test programs, separate so that they import little else."""

from wardround.sandbox.test_programs.process import serve_programs
from wardround.scoring.published_functions import published_functions


def main(number: int) -> None:
    """Serves requests for test programs on the socket with this file descriptor."""
    serve_programs(number, published_functions)
