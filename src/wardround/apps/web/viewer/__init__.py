"""The local web application of `wardround view`: runs, their trials, comparisons and notes."""
