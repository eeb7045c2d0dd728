"""Runs: started, resumed, shared among processes, judged again, replayed."""
