"""Making BIRD-Interact tasks: ambiguities in clear tasks, the shipped suite, the guard set."""
