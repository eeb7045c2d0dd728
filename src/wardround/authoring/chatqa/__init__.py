"""Makes the shipped suite from its definitions and the default hospital; never needed to run it."""
