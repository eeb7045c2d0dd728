"""Code that benchmarks share: published files, databases, tool results, tables and figures."""
