"""A process shows neither URL nor password of a database, in arguments or environment."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc here")

SHOWN = textwrap.dedent("""
    import os, sys
    from pathlib import Path
    from wardround.apps.command_line.main import hide_databases
    from wardround.core.url_passwords import passwords_of
    hide_databases()
    for name in ("cmdline", "environ"):
        print(Path("/proc/self", name).read_bytes().decode())
    print(sys.argv, os.environ.get("PGPASSWORD"))
    print(*(dict(passwords_of(url)) for url in sys.argv[1:]), file=sys.stderr)
""")


def shown(*arguments: str, **environment: str) -> tuple[str, str]:
    ran = subprocess.run(
        [sys.executable, "-c", SHOWN, *arguments],
        env={"PYTHONPATH": os.pathsep.join(sys.path), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return ran.stdout, ran.stderr


@LINUX
@pytest.mark.parametrize(
    "url", ["postgresql://u:s3cret@place/db", "postgres://place/db?user=u&password=s3cret"]
)
def test_url_is_hidden_and_its_password_known(url: str) -> None:
    out, err = shown(url)
    for name in ("cmdline", "environ", "argv"):
        assert "s3cret" not in out, name
    assert out.count("place") == 1, "sys.argv alone has the place"
    assert err == "{'password': 's3cret'}\n"


@LINUX
def test_named_and_assigned_urls_are_hidden() -> None:
    out, _ = shown("ward=postgresql://u:s3cret@h/db", "--database=w=postgresql://u:s3cret@h/db")
    assert "s3cret" not in out
    assert "ward=postgresql://u@h/db" in out


@LINUX
def test_password_of_the_environment_is_hidden_and_known() -> None:
    out, err = shown("postgresql://u@h/db", PGPASSWORD="s3cret")
    assert "s3cret" not in out
    assert err == "{'password': 's3cret'}\n"
