"""The shipped tasks of EHR-ChatQA: written by hand, and drawn by a seed."""
