"""wardround: can this AI agent be trusted with a patient database?"""

__version__ = "0.1.0"
