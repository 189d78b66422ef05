"""Files that are given up are gone, for whatever is started, too; those that are named stay."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from craton.processes.confinement import version

SCRIPT = """
import subprocess, sys
from pathlib import Path
from craton.processes.confinement import confine

own, other = Path(sys.argv[1]), Path(sys.argv[2])
places = ["/usr", "/bin", "/lib", "/lib64", sys.prefix, sys.base_prefix, "/nowhere/at/all"]
confine(map(Path, places), [own, Path("/dev/null")])
(own / "written").write_text("x")
print((own / "written").read_text())
secret, new = other / "secret", other / "new"
for work in (secret.read_text, lambda: new.write_text("x"), lambda: list(other.iterdir())):
    try:
        work()
    except PermissionError:
        print("denied")
print(subprocess.run(["cat", str(other / "secret")], capture_output=True).returncode)
"""


@pytest.mark.skipif(not version(), reason="the kernel cannot confine processes")
def test_what_is_given_up_is_gone(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (other / "secret").write_text("s")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(own), str(other)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.split() == ["x", "denied", "denied", "denied", "1"], done.stderr
