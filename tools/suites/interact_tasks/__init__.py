"""The shipped tasks of BIRD-Interact, written by hand."""
