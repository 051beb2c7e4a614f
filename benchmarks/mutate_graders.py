"""Do the tests of the graders notice when a grader is wrong? One small change at a time, and who survives.

    .venv/bin/python benchmarks/mutate_graders.py patterns conditions.places readers.sql
    .venv/bin/python benchmarks/mutate_graders.py behaviour --tests tests/graders/test_behaviour.py --seconds 60

A mutant is a module of `graders/` with one comparison turned, one `and` made an `or`, one `not` dropped, one constant
changed, one condition made always true or false, one returned truth inverted, one operand of `and` or `or` dropped, or
one call of a reader's pattern (`fullmatch`, `match`, `search`) exchanged for another. The file itself is never written:
each mutant is imported in a forked process of its own, in place of the module, and pytest runs the tests there. A
mutant that no test fails on is listed with its line; one that ran out of its time is listed too, as neither noticed nor
alive. The exit code is 1 if one is listed that the table below does not name. Constants in docstrings, messages of
exceptions and annotations are left alone: no label rests on them. With `--confirm`, what survives the chosen tests is
tried once more on all others of the graders.

Survivors that are right to survive, as `module: change @ a part of the line`, with the reason:

    atoms: '' → 'mutant'  the word decides on no language
    atoms: 1024 → 1025  the size of a cache
    atoms: True → False  the result of `finders` would not be frozen
    certainty: unread or error → error  it changes which of several reasons is told, and no answer
    conditions.names: '' → 'mutant'  both sides of a comparison are joined with it
    conditions.statements: if dialect is not None → if True  no dialect is a known one; it only spares an import
    conditions.vocabulary: 1 → 2  only the nearest of the near keys is told
    judgement: '' → 'mutant' @ action = ""  a word that no list knows
    judgement: '' → 'mutant' @ DOES_SO  likewise
    judgement: '' → 'mutant' @ zip(pieces  it only sets a mark behind the last topic
    judgement: '' → 'mutant' @ topic = ""  a word that no list knows, before a statement that names something
    judgement: '' → 'mutant' @ near =  a word that no list knows
    judgement: True → False @ zip(pieces  they are of the same length
    judgement: ';' if divider else '' → ';' if True else '' @ topic +=  a mark behind the last topic divides nothing
    judgement: [*merged, topic] if topic else merged → [*merged, topic] if True else merged @ topic  an empty statement
    judgement: target and (not _others(part, said, rule)) → not _others(part, said, rule) @ elif  it adds a colon
    naming: if not re.search('[-_]\\\\d', flat) → if False @ flat  it is in every range; it only saves time
    novelty: HAS_CJK.match → HAS_CJK.search @ word  a word is all of such characters, or has none
    retention: if not hard → if False @ hard  nothing would be looked for; it only saves time
    retention: '' → 'mutant' @ flats =  a word that no list knows
    retention: HAS_CJK.match → HAS_CJK.search @ words[  it is one character
    retention: reading.start or 0 → reading.start @ start, end  a reading of a sentence has its place
    retention: reading.end or 0 → reading.end @ start, end  likewise
    retention: 0 → 1 @ start, end = reading  likewise
    retention: best.evidence or '' → best.evidence @ matched  likewise
    retention: '' → 'mutant' @ matched  likewise
    retention: reading.evidence or '' → reading.evidence @ hard if  likewise
    retention: '' → 'mutant' @ hard if  likewise
    retention: '' → 'mutant' @ part.goes_on  a word that no list knows
    retention: cut_start <= start → cut_start < start @ width  a cut that a reading touches is joined to it
    retention: cut_start < end → cut_start <= end @ width  likewise
    sentences: if spans → if True @ spans  a block that is not blank has a sentence
    states: '' → 'mutant' @ (State.BLOCKED, "",  neither is a list of another language
    states: '' → 'mutant' @ text.replace  neither is a word of a state, or denies one
    states: True → False @ zip(_RUNNING  they are of the same length
    states: False → True @ heading, lists_only  there is no heading yet
    windows: start < end → start <= end  they are never the same
    readers.amounts: '' → 'mutant'  neither is a number
    readers.canaries: if '%' in text → if True  what has no escape in it stays as it is
    readers.sql: if TYPE_CHECKING → if False  it only spares an import
    readers.sql: if TYPE_CHECKING → if True  likewise
    readers.texts: '' → 'mutant'  no text has that word before its last letter
    readers.urls: '' → 'mutant'  neither is a URL
    patterns: True → False  the result of `find` would not be frozen
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import importlib.util
import multiprocessing
import multiprocessing.connection
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import hypothesis
import hypothesis.strategies
import pytest

for _slow in ("hypothesis.strategies", "pydantic", "sqlglot.optimizer.simplify"):
    importlib.import_module(_slow)  # once, before the forks

os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # no test of the graders needs a plugin, and some are slow to import

ROOT = Path(__file__).resolve().parents[1]
GRADERS = ROOT / "graders"
EXPLAINED = [
    (change, part)
    for row in (__doc__ or "").partition("with the reason:")[2].splitlines()
    for change, _, part in [row.strip().partition("  ")[0].partition(" @ ")]
    if change
]
_PAIRS = [(ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE)]
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = dict([*_PAIRS, *((b, a) for a, b in _PAIRS)])
MATCHERS = {
    "fullmatch": "match",
    "match": "search",
    "search": "fullmatch",
    "startswith": "endswith",
    "endswith": "startswith",
}
QUANTIFIERS = {"any": "all", "all": "any", "any_holds": "all_hold", "all_hold": "any_holds", "min": "max", "max": "min"}


class Exchanged(importlib.abc.MetaPathFinder):
    """Finds the mutant where its module is imported."""

    def __init__(self, module: str, file: Path) -> None:
        self.name, self.file, self.origin = f"standfast.graders.{module}", file, source_of(module)

    def find_spec(self, name: str, path: object, target: object = None) -> importlib.machinery.ModuleSpec | None:
        """The mutant; a package keeps its folder."""
        if name != self.name:
            return None
        folders = [str(self.origin.parent)] if self.origin.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, self.file, submodule_search_locations=folders)


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: str
    line: int
    change: str
    source: str

    @property
    def place(self) -> str:
        """Where it is, for the reader."""
        return f"  graders/{source_of(self.module).relative_to(GRADERS)}:{self.line}  {self.change}"

    @property
    def explained(self) -> bool:
        """Whether the table of explained survivors names the change and a part of its line, wherever that has moved."""
        text = source_of(self.module).read_text().splitlines()[self.line - 1]
        return any(change == f"{self.module}: {self.change}" and part in text for change, part in EXPLAINED)


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module of `graders/`, named as in `conditions.places`."""
    tree = ast.parse(source_of(module).read_text())
    silent = {id(node) for top in ast.walk(tree) for part in _silent(top) for node in ast.walk(part)}
    places = [(index, node) for index, node in enumerate(ast.walk(tree)) if id(node) not in silent]
    for index, node in places:
        for number, changed in enumerate(_changes(node)):
            whole = copy.deepcopy(tree)
            _put(whole, index, list(_changes(_at(whole, index)))[number])
            change = f"{_short(node)} → {_short(changed)}"
            yield Mutant(module, _line(node), change, ast.unparse(ast.fix_missing_locations(whole)))


def _line(node: ast.AST) -> int:
    """A comprehension's `for` has no line of its own, but its target has."""
    return int(getattr(node.target if isinstance(node, ast.comprehension) else node, "lineno", 1))


def source_of(module: str) -> Path:
    """The file of a module of `graders/`."""
    path = GRADERS.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _silent(node: ast.AST) -> list[ast.AST]:
    """Parts of a node that no label rests on: docstrings, messages, annotations, imports."""
    if isinstance(node, ast.Raise | ast.Import | ast.ImportFrom | ast.Assert):
        return [node]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return [node]
    if isinstance(node, ast.AnnAssign):
        return [node.annotation]
    if isinstance(node, ast.FunctionDef):
        return [*filter(None, [node.returns]), *(arg.annotation for arg in node.args.args if arg.annotation)]
    return []


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    """What a node is exchanged for, each in turn."""
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in TURNED:
                ops = [*node.ops[:index], TURNED[type(operator)](), *node.ops[index + 1 :]]
                yield ast.Compare(node.left, ops, node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        for index in range(len(node.values)):
            kept = [*node.values[:index], *node.values[index + 1 :]]
            yield ast.BoolOp(node.op, kept) if len(kept) > 1 else kept[0]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield node.operand
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        yield ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
    elif isinstance(node, ast.If | ast.IfExp | ast.While | ast.comprehension):
        yield from _with_other_test(node)
    elif isinstance(node, ast.Return) and node.value is not None and _is_truth(node.value):
        yield ast.Return(ast.UnaryOp(ast.Not(), node.value))
    elif isinstance(node, ast.Constant):
        yield from _other_constants(node)
    elif isinstance(node, ast.Attribute) and node.attr in MATCHERS:
        yield ast.Attribute(node.value, MATCHERS[node.attr], node.ctx)
    elif isinstance(node, ast.Name) and node.id in QUANTIFIERS and isinstance(node.ctx, ast.Load):
        yield ast.Name(QUANTIFIERS[node.id], node.ctx)


def _with_other_test(node: ast.If | ast.IfExp | ast.While | ast.comprehension) -> Iterator[ast.AST]:
    """The condition always true, and never (a loop that never ends would only time out)."""
    if isinstance(node, ast.comprehension):
        for index in range(len(node.ifs)):
            yield ast.comprehension(node.target, node.iter, [*node.ifs[:index], *node.ifs[index + 1 :]], node.is_async)
        return
    for truth in (False,) if isinstance(node, ast.While) else (True, False):
        other = copy.copy(node)
        other.test = ast.Constant(truth)
        yield other


def _is_truth(value: ast.expr) -> bool:
    return isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp) or (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Name)
        and value.func.id in ("bool", "any", "all", "any_holds", "all_hold", "isinstance")
    )


def _other_constants(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, str):
        yield ast.Constant("" if value else "mutant")


def _at(tree: ast.AST, index: int) -> ast.AST:
    return next(node for i, node in enumerate(ast.walk(tree)) if i == index)


def _put(tree: ast.AST, index: int, new: ast.AST) -> None:
    old = _at(tree, index)
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(each is old for each in value):
                setattr(parent, field, [new if each is old else each for each in value])


def _short(node: ast.AST) -> str:
    """The node as one short line; of a statement its condition."""
    if isinstance(node, ast.If | ast.While):
        return f"{'if' if isinstance(node, ast.If) else 'while'} {_short(node.test)}"
    if isinstance(node, ast.comprehension):
        return " ".join(["for", _short(node.target), *(f"if {_short(each)}" for each in node.ifs)])
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 70 else f"{text[:67]}..."


@dataclass
class Survey:
    """Of some mutants those on which all tests pass, and those on which they never came to an end."""

    alive: list[Mutant]
    late: list[Mutant]


def survey_of(found: list[Mutant], tests: list[str], seconds: float, jobs: int, work: int = 600) -> Survey:
    """The mutants, each tested; the survivors are also printed as they are met.

    One that takes more than `work` seconds of processor time hangs, and is noticed; one that only ran out of `seconds`
    on the clock, on a busy machine, is late.
    """
    forks, running, todo = multiprocessing.get_context("fork"), {}, list(reversed(found))
    survey = Survey([], [])
    while todo or running:
        while todo and len(running) < jobs:
            mutant = todo.pop()
            process = forks.Process(target=_test, args=(mutant, tests, work))
            process.start()
            running[process] = (mutant, time.monotonic() + seconds)
        multiprocessing.connection.wait([process.sentinel for process in running], timeout=0.5)
        for process, (mutant, until) in list(running.items()):
            if process.is_alive() and time.monotonic() > until:
                process.kill()
                survey.late.append(mutant)
            elif not process.is_alive():
                running.pop(process)
                if process.exitcode == 0:
                    survey.alive.append(mutant)
                    print(mutant.place, "(explained)" if mutant.explained else "", flush=True)
    return survey


def _test(mutant: Mutant, tests: list[str], work: int) -> None:
    """Leaves the forked process with pytest's exit code. What is slow to import was imported before the fork."""
    os.chdir(ROOT)
    resource.setrlimit(resource.RLIMIT_CPU, (work, work))
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        file = Path(folder) / "mutant.py"
        file.write_text(mutant.source)
        sys.meta_path.insert(0, Exchanged(mutant.module, file))
        sys.stdout = sys.stderr = nowhere
        # derandomized, so that a survivor survives again
        hypothesis.settings.register_profile("mutants", derandomize=True, max_examples=30, database=None, deadline=None)
        hypothesis.settings.load_profile("mutants")
        try:
            code = pytest.main(["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", "-W", "ignore", *tests])
        except BaseException:
            code = 1
    os._exit(int(code))


def tests_of(module: str) -> list[str]:
    """The test files of the graders that look most like the module, then all others: failures come early."""
    words = {word.rstrip("s") for word in module.replace(".", "_").split("_")}
    files = sorted((ROOT / "tests" / "graders").glob("test_*.py"))

    def strangeness(file: Path) -> int:
        return -len(words & {word.rstrip("s") for word in file.stem.split("_")})

    return [str(file.relative_to(ROOT)) for file in sorted(files, key=strangeness)]


def main() -> int:
    """The mutants of some modules, run; the survivors, printed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", help="as in `patterns` or `conditions.places`")
    parser.add_argument("--tests", nargs="*", help="test files; by default those of the graders")
    parser.add_argument("--seconds", type=float, default=60, help="after which a mutant counts as noticed")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="only every n-th mutant")
    parser.add_argument("--confirm", action="store_true", help="try the survivors on all other tests of the graders")
    parser.add_argument("--strings", action="store_true", help="also empty the text constants")
    chosen = parser.parse_args()
    unexplained = 0
    for module in chosen.modules:
        unexplained += _run(module, chosen)
    return 1 if unexplained else 0


def _run(module: str, chosen: argparse.Namespace) -> int:
    started, tests = time.monotonic(), chosen.tests or tests_of(module)
    others = [test for test in tests_of(module) if test not in tests]
    found = [each for each in mutants(module) if chosen.strings or "→ ''" not in each.change][:: chosen.every]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    unchanged = Mutant(module, 1, "none", source_of(module).read_text())
    if not survey_of([unchanged], tests, 10 * chosen.seconds, 1).alive:
        print(f"{module}: the tests fail on the module as it is")
        return 1
    usual = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    first = survey_of(found, tests, chosen.seconds, chosen.jobs, 5 + int(4 * usual))
    print(f"{module}: {len(first.alive)} of {len(found)} alive, {len(first.late)} late after {tests}", flush=True)
    again = [each for each in first.alive if not each.explained]
    wide = chosen.confirm and others and again
    rest = survey_of(again, others, 10 * chosen.seconds, chosen.jobs) if wide else Survey(again, [])
    late, known = [*first.late, *rest.late], len(first.alive) - len(again)
    noticed, took = len(found) - len(rest.alive) - known - len(late), time.monotonic() - started
    print(
        f"{module}: {len(found)} mutants, {noticed} noticed, {known} explained, {len(rest.alive)} unexplained, "
        f"{len(late)} late ({took:.0f} s)"
    )
    for mutant in sorted([*rest.alive, *late], key=lambda mutant: mutant.line):
        print(mutant.place, "(late)" if mutant in late else "")
    return len(rest.alive) + len(late)


if __name__ == "__main__":
    sys.exit(main())
