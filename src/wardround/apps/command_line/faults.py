"""Unexpected exceptions in one sentence: what failed, whose fault it is, what to do."""

import errno
import traceback
from types import TracebackType

from wardround.core.plugins import plugin_of

_REMEDIES = {
    errno.ENOSPC: "free space on its disk",
    errno.EDQUOT: "free space within your quota",
    errno.EADDRINUSE: "choose another port",
    errno.EADDRNOTAVAIL: "choose an address of this machine",
    errno.EMFILE: "lower --concurrency, or raise the limit of open files (ulimit -n)",
    errno.ENOENT: "check the path",
    errno.ENOTDIR: "check the path",
    errno.EISDIR: "name a file, not a folder",
}
# Messages of embedded databases on a full disk.
_FULL = ("disk is full", "no space left on device")


def fault_sentence(error: Exception) -> str:
    """The sentence that a user reads about an exception that nothing expected.

    >>> fault_sentence(OSError(28, "No space left on device", "r/trials.jsonl"))
    'r/trials.jsonl: No space left on device; free space on its disk.'
    """
    text = f"{type(error).__name__}: {error}".rstrip(".")
    if plugin := _faulty_plugin(error.__traceback__):
        return f"The plug-in {plugin} failed ({text}); report it to its authors, not to wardround."
    if isinstance(error, OSError):
        where = error.filename or "an unnamed file or address"
        remedy = _REMEDIES.get(error.errno or 0, "check the path and its permissions")
        return f"{where}: {error.strerror or error}; {remedy}."
    if any(words in str(error).lower() for words in _FULL):
        return f"The disk is full ({text}); free space on it, or on that of TMPDIR."
    return (
        f"{text}. This is a bug in wardround; please report it with the output of --verbose "
        "before the command."
    )


def _faulty_plugin(place: TracebackType | None) -> str:
    """The plug-in whose code the exception came from; "" for wardround's own.

    Frames of other libraries belong to whoever called them.
    """
    for frame, _ in reversed(list(traceback.walk_tb(place))):
        module = str(frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] == "wardround":
            return ""
        if plugin := plugin_of(module):
            return plugin
    return ""
