"""Loggers of wardround; they stay silent unless the program that uses it sets up logging."""

import logging

logging.getLogger("wardround").addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """The logger of a module, by the module's name."""
    return logging.getLogger(name)
