"""wardround: can this AI agent be trusted with a patient database?"""

import logging

__version__ = "0.1.0"

# Libraries stay silent unless the program that uses them sets up logging.
logging.getLogger(__name__).addHandler(logging.NullHandler())
