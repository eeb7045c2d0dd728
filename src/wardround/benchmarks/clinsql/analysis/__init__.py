"""Figures beside a run's report: agreement of raters, scores and statistics of items, regimes."""
