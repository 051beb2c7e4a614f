"""What is shipped, what imports what, and what may not stand in a tracked file."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from standfast.harness.catalogue import files

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CODE = ("harness", "graders")
SHIPPED = (*CODE, "scenarios", "results")

# From left to right; a module imports only from what stands left of it.
ORDER = (
    *(
        "faults",
        "settings",
        "progress",
        "yaml_text",
        "readable",
        "texts",
        "namepools",
        "varied",
        "handbook",
        "worlds",
        "agents",
    ),
    *("scenario", "attacks", "catalogue", "grading"),
    *(
        "schemas",
        "history",
        "naming",
        "proving",
        "checks",
        "blocks",
        "messages",
        "snapshots",
        "compactors",
        "owners",
        "plan",
        "folder",
        "arms",
    ),
    *("retained", "audit", "validity", "providers", "checking", "showing"),
    *(
        "crossing",
        "mitigations",
        "compact",
        "carrying",
        "trials",
        "replay",
        "logs",
        "rows",
        "stats",
        "loading",
        "tables",
        "effects",
        "comparing",
        "gate",
        "report",
        "run",
        "demo",
    ),
    *("rulefile", "classify", "asking", "listing", "starting", "_registry", "cli", "__main__"),
)
# `load` runs the checks, and the checks read the models: the one import to the right, made inside the function.
BACKWARDS = {("standfast.harness.scenario", "standfast.harness.checks")}


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of this Python, with its output."""
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False)


def below(folder: Path) -> set[str]:
    """The files below a folder of the checkout, as paths from the root, without what Python and editors leave there."""
    files = (p for p in folder.rglob("*") if p.is_file() and not p.name.startswith("."))
    return {p.relative_to(ROOT).as_posix() for p in files if "__pycache__" not in p.parts}


# ── what is shipped ────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_folder_with_code_is_listed_and_every_listed_folder_has_code() -> None:
    folders = {Path(file).parent for top in SHIPPED for file in below(ROOT / top) if file.endswith(".py")}
    listed = PROJECT["tool"]["setuptools"]["packages"]
    assert sorted(listed) == ["standfast", *sorted("standfast." + ".".join(folder.parts) for folder in folders)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built without an index from a copy of the checkout that also holds a run of the user's."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    for name in (*SHIPPED, "api", "tests"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    (source / "results" / "stray-run" / "rows").mkdir(parents=True)
    (source / "results" / "stray-run" / "rows" / "trials.parquet").write_bytes(b"")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(source / "out"), str(source)]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, (built.stdout + built.stderr)[-1500:]
    return next((source / "out").glob("*.whl"))


def test_the_wheel_puts_one_name_into_site_packages(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert tops == {"standfast", f"standfast-{PROJECT['project']['version']}.dist-info"}


def test_the_wheel_holds_every_file_of_the_package_and_no_run_of_the_user(wheel: Path) -> None:
    shipped = {n.removeprefix("standfast/") for n in zipfile.ZipFile(wheel).namelist() if n.startswith("standfast/")}
    wanted = below(ROOT / "harness") | below(ROOT / "graders") | below(ROOT / "scenarios")
    wanted |= below(ROOT / "results" / "reference") | {"results/__init__.py", "__init__.py"}
    assert shipped == {file for file in wanted if not re.search(r"^(harness|graders|scenarios)/.*\.md$", file)}
    assert {"harness/py.typed", "graders/py.typed"} <= shipped


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of a fresh environment that holds the wheel and borrows everything else from this one."""
    venv = tmp_path_factory.mktemp("fresh") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    where = dict.fromkeys(("base", "platbase"), str(venv))
    site = Path(sysconfig.get_path("purelib", "venv", where))
    # Only a .pth file in `site` itself is run: this environment's own editable install stays unseen.
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    python_there = Path(sysconfig.get_path("scripts", "venv", where)) / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python_there), "install", "-q", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True)
    return python_there.parent


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A user's repository with folders of our names, none of which may be taken for ours."""
    for name in SHIPPED:
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text("WHOSE = 'the user'\n")
    (tmp_path / "harness" / "__init__.py").write_text("raise RuntimeError('the harness of the user was imported')\n")
    return tmp_path


def there(installed: Path, repository: Path, *command: str) -> str:
    """The output of a command of the fresh environment, run in the user's repository."""
    environment = {**os.environ, "PYTHONPATH": "."}
    run = [str(installed / command[0]), *command[1:]]
    done = subprocess.run(run, cwd=repository, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_runs_in_a_repository_with_folders_of_the_same_names(installed: Path, repository: Path) -> None:
    assert "Usage" in there(installed, repository, "standfast", "--help")
    where = "import standfast.harness.cli as cli, graders.mine as mine; print(cli.__file__, mine.WHOSE)"
    file, _, whose = there(installed, repository, "python", "-c", where).strip().partition(" ")
    assert Path(file).is_relative_to(installed.parent)
    assert whose == "the user"


def test_the_wheel_finds_the_bundled_scenarios_and_not_those_of_the_user(installed: Path, repository: Path) -> None:
    (repository / "scenarios" / "broken.yaml").write_text("id: [")
    listed = there(installed, repository, "standfast", "list", "scenarios")
    bundled = [re.search(r"^id: *(\S+)", file.read_text(), re.M) for file in files()]
    assert bundled
    assert all(found is not None and found[1] in listed for found in bundled)


def test_every_requirement_is_pinned_by_the_constraints() -> None:
    pins: dict[str, list[str]] = {}
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        pin = re.fullmatch(r"([a-z0-9-]+)==([^ ;@]+)( ; .+)?", line)
        assert pin, f"constraints.txt: {line!r} is not `name==version`"
        pins.setdefault(pin[1], []).append(pin[2])
    extras = PROJECT["project"]["optional-dependencies"]
    for text in [*PROJECT["project"]["dependencies"], *(r for group in extras.values() for r in group)]:
        wanted = Requirement(text)
        versions = pins.get(re.sub(r"[-_.]+", "-", wanted.name).lower(), [])
        fits = versions and all(wanted.specifier.contains(version, prereleases=True) for version in versions)
        assert fits or wanted.name == "standfast", f"{text}: pinned as {versions or 'nothing'}; run `make constraints`"


# ── what imports what ──────────────────────────────────────────────────────────────────────────────────────────────


def modules() -> dict[str, Path]:
    """The modules of both code folders, by their import name."""
    files = {f"standfast/{file}": ROOT / file for top in CODE for file in below(ROOT / top) if file.endswith(".py")}
    return {name.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for name, path in files.items()}


def imports(name: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    """Every module that a module names in an import, wherever the import stands in it."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*parts, *([node.module] if node.module else [])])
            for alias in node.names:
                yield f"{source}.{alias.name}" if f"{source}.{alias.name}" in known else source


def own_imports() -> dict[str, set[str]]:
    """Which modules of ours each module of ours imports, but for the one import that may point backwards."""
    known = modules()
    found = {name: {i for i in imports(name, path, known) if i in known} for name, path in known.items()}
    return {name: {i for i in those if (name, i) not in BACKWARDS} - {name} for name, those in found.items()}


def test_no_module_imports_itself_by_a_detour() -> None:
    assert list(TopologicalSorter(own_imports()).static_order())


def test_a_module_imports_only_leftwards() -> None:
    def place(name: str) -> int:
        top, *rest = name.split(".")[1:]
        if top == "graders" or not rest:
            return -1
        assert rest[0] in ORDER, f"{name} has no place in ORDER yet"
        return ORDER.index(rest[0])

    wrong = [
        f"{name} imports {other}"
        for name, others in own_imports().items()
        for other in others
        if place(other) > place(name) or (place(name) == -1 and not other.startswith("standfast.graders"))
    ]
    assert wrong == []


def test_inside_the_package_imports_are_relative_and_outside_they_name_the_package() -> None:
    known = modules()
    inside = [
        f"{n}: {i}" for n, p in known.items() for i in absolute_imports(p) if i.split(".")[0] in ("standfast", *SHIPPED)
    ]
    outside = [
        f"{path.name}: {name}"
        for folder in ("tests", "benchmarks", "notebooks")
        for path in (ROOT / folder).rglob("*.py")
        for name in absolute_imports(path)
        if name.split(".")[0] in SHIPPED
    ]
    assert (inside, outside) == ([], [])


def absolute_imports(path: Path) -> Iterator[str]:
    """The modules that a file imports by their whole name."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


HEAVY = "print(json.dumps(sorted({'inspect_ai', 'pandas', 'pyarrow', 'openai', 'anthropic'} & set(sys.modules))))"


@pytest.mark.parametrize("folder", ["graders", "harness.worlds", "harness.scenario"])
def test_reading_scenarios_and_grading_wait_for_no_heavy_import(folder: str) -> None:
    names = [name for name in modules() if f"{name}.".startswith(f"standfast.{folder}.")]
    assert names
    done = python(f"import json, sys, {', '.join(names)}; {HEAVY}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


@pytest.mark.parametrize("command", ["--help", "list scenarios", "list worlds", "list compactors"])
def test_help_and_list_wait_for_no_heavy_import(command: str) -> None:
    code = f"""
import contextlib, io, json, sys
from standfast.harness.cli import main
sys.argv = ["standfast", *sys.argv[1:]]
with contextlib.redirect_stdout(io.StringIO()):
    try:
        status = main()
    except SystemExit as end:
        status = end.code
assert not status, status
{HEAVY}
"""
    done = python(code, *command.split())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


# ── what no tracked file may hold ──────────────────────────────────────────────────────────────────────────────────


def tracked() -> list[Path]:
    """The files that git tracks."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_tracked_file_holds_an_index_address_or_a_path_of_this_machine() -> None:
    # Written in two pieces, so that this file does not find itself.
    addresses = ["index" + "-url", "find" + "-links", "pypi" + ".org", "python" + "hosted", "npmjs" + ".org"]
    places = [f"{ROOT}/", f"{sys.base_prefix}/", f"{sysconfig.get_path('purelib')}/"]
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in tracked()
        for word in (*addresses, *places)
        if word.encode() in path.read_bytes()
    ]
    assert found == []
