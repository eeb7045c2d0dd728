"""Isolated processes for SQL statements, test programs and third-party agents.

`interpreter` starts a Python process without access to the user's environment, and `messages`
frames its messages. On top of them, `worker` and `service` are the two ends of a process that
answers requests and can be interrupted; `fork_server` and `zygote` fork a process for each program
in a millisecond or two, and `lockdown` restricts it before the program runs.

`confinement` confines any command: `confined_process` is the process that gives up its files,
network and system calls by `namespaces`, `landlock` and `seccomp` and then executes the command.
`line_process` talks to it.
"""
