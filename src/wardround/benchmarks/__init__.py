"""The five benchmarks, a package each."""
