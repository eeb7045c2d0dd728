"""Agents from elsewhere, each run's in a process of its own: gold never is in its memory.

`agents` holds wardround's side, `host` is the process of an agent in Python, and `messages` what
they say to each other, one line of JSON each. An agent in another language writes and reads the
same lines (docs/bring-an-agent.md).
"""
