"""Loggers of wardround, silent unless the program configures logging."""

import logging

logging.getLogger("wardround").addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """The logger of a module, by the module's name."""
    return logging.getLogger(name)
