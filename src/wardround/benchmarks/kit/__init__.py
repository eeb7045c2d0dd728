"""What all benchmarks need: published files, databases, tool results, tables and figures."""
