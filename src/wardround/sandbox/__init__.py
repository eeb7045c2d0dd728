"""Processes that may do no harm: for SQL statements, test programs and agents from elsewhere.

`interpreter` starts a Python process with nothing of the user's in it, `messages` frames what is
said to it. On top of them, `worker` and `service` are the two ends of a process that answers
requests and can be interrupted; `fork_server` and `zygote` make a process for each program in a
millisecond or two, and `lockdown` is what such a process gives up before it runs one.
"""
