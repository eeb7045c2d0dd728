"""Makes the shipped sessions anew: `python tools/suites/assist.py FILE`."""

import sys
from pathlib import Path

from wardround.benchmarks.assist.suite.sessions import made_sessions
from wardround.benchmarks.kit.published_files import json_lines
from wardround.core.private_files import write_whole

if __name__ == "__main__":
    write_whole(Path(sys.argv[1]), json_lines(made_sessions()))
