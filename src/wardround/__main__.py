"""`python -m wardround`: the command line."""

from wardround.apps.command_line import main

main()
