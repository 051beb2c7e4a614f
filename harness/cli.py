"""The command line: verbs and their flags, no logic. What is heavy is imported inside the verb that needs it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .faults import BadInput, NotAvailable

if TYPE_CHECKING:
    from rich.console import Console

    from .loading import Runs

app = typer.Typer(
    help="Do the rules that an agent was given still stand after its context was compacted?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "STANDFAST"},
)

Json = Annotated[bool, typer.Option("--json", help="Print data as JSON.")]
Names = Annotated[
    list[str] | None,
    typer.Option("-s", "--scenario", help="Scenario id, family (F02), pack, file or folder; repeatable."),
]
Folders = Annotated[
    list[Path] | None, typer.Option("--scenarios", help="A folder with more scenario packs; repeatable.")
]
RunDir = Annotated[Path, typer.Argument(help="A run folder.")]


def main() -> None:
    """Runs the command line. Exit codes: 0 done, 1 a check failed, 2 bad input, 4 could not run."""
    try:
        app()
    except BadInput as fault:
        print(f"standfast: {fault}", file=sys.stderr)
        sys.exit(2)
    except NotAvailable as fault:
        print(f"standfast: {fault}", file=sys.stderr)
        sys.exit(4)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(version("standfast"))
        raise typer.Exit


@app.callback()
def _settings(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.", is_eager=True, callback=_version)
    ] = False,
) -> None:
    from .settings import defaults

    verbs = getattr(ctx.command, "commands", {})
    flags = {name: {str(param.name) for param in verb.params} for name, verb in verbs.items()}
    ctx.default_map = defaults(Path.cwd(), flags)


@app.command("list")
def list_(
    what: Annotated[str, typer.Argument(help="scenarios, compactors, worlds or models")],
    as_json: Json = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print compactors as a Markdown table.")] = False,
    scenarios: Folders = None,
) -> None:
    """List what there is: scenarios, compactors, worlds or models."""
    from . import listing

    if as_markdown:
        print(listing.markdown(what))
        return
    found = listing.lines(what, scenarios or [])
    _print_lines(found if as_json else listing.brief(what, found), as_json)


@app.command()
def show(
    scenario: Annotated[str, typer.Argument(help="Scenario id or file.")],
    seed: Annotated[int, typer.Option(min=1, help="Another seed has other names, numbers and dates.")] = 1,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page for reviewers into this file.")] = None,
    as_json: Json = False,
    scenarios: Folders = None,
) -> None:
    """Show in plain words what the agent of a scenario may and may not do, and what each label would need."""
    from . import catalogue, showing

    found = catalogue.one(scenario, scenarios or [], seed)
    if html:
        showing.write_page(found, html, seed)
        print(f"written: {html}", file=sys.stderr)
    if as_json:
        print(found.model_dump_json(indent=2, exclude_none=True, by_alias=True))
    elif not html:
        print(showing.text(found, seed))


@app.command()
def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Scenario files, folders, ids, families or packs; without any, all that are known."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Ask of every file what a bundled scenario has: canary, probes, domain.")
    ] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Print what the scenarios cover, and check nothing but that they load.")
    ] = False,
    seed: Annotated[int, typer.Option(min=2, help="The other seed under which every label must be the same.")] = 7,
    as_json: Json = False,
    scenarios: Folders = None,
) -> None:
    """Check scenario files: every name, example, call and text, and every scripted subject in every context. Exit code
    1 where one fails; each fault is named with file, line and remedy."""
    from .checking import report

    if report.check(paths or [], scenarios or [], strict or None, coverage, seed, as_json):
        raise typer.Exit(1)


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the files go; the folder is made.")] = Path("my-scenarios"),
) -> None:
    """Write a commented scenario to start from, which passes check. Nothing is overwritten."""
    from . import starting

    print(starting.start(folder))


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for completion in an editor."""
    from .scenario import json_schema

    print(json.dumps(json_schema(), indent=1))


@app.command()
def run(
    model: Annotated[
        list[str], typer.Option("-m", "--model", help="Model under test, as Inspect names it; repeatable.")
    ],
    scenario: Names = None,
    compactor: Annotated[
        list[str] | None, typer.Option("-c", "--compactor", help="Compactor, as `langmem:keep=4`; repeatable.")
    ] = None,
    writer: Annotated[
        list[str] | None,
        typer.Option("--writer", help="Who writes the summaries; `self` (default): each model its own."),
    ] = None,
    mitigation: Annotated[
        list[str] | None,
        typer.Option("--mitigation", help="none, pin, pin-system, guard or reread; repeatable, or with commas."),
    ] = None,
    continuation: Annotated[
        str, typer.Option("--continuation", help="Text after every boundary: none, neutral, resume or next_steps.")
    ] = "none",
    cycles: Annotated[int, typer.Option(min=1, max=50, help="Compactions, one after the other.")] = 1,
    arms: Annotated[
        str, typer.Option("--arms", help="Arms, with commas: floor,full,compacted,removed,restored,residue.")
    ] = "",
    probes: Annotated[str, typer.Option("--probes", help="Kinds of probes, with commas.")] = "",
    draws: Annotated[int, typer.Option(min=1, help="Repeats of the writer: chains with other seeds.")] = 1,
    epochs: Annotated[int, typer.Option(min=1, help="Repeats of the actor.")] = 1,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many cells, scenario by scenario.")] = None,
    window: Annotated[
        int | None,
        typer.Option(
            min=0, help="History before each boundary, in tokens (characters / 4): 4000, with a local model 600."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of history, writer and actor.")] = 1,
    attack: Annotated[
        str,
        typer.Option(
            help="A text before the first boundary that tries to get the rules dropped: bulk, deprecation, budget, "
            "operator; or revocation, the control: the user really takes them back."
        ),
    ] = "none",
    turns: Annotated[
        int | None, typer.Option(min=1, help="Turns that an actor has in a trial: 6, with a local model 2.")
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Temperature of actors.")] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Output tokens of an actor's turn.")] = None,
    model_arg: Annotated[
        list[str] | None, typer.Option("-M", help="Argument of the models' provider, as name=value; repeatable.")
    ] = None,
    max_connections: Annotated[int | None, typer.Option(min=1, help="Connections at a time and provider.")] = None,
    max_samples: Annotated[
        int, typer.Option(min=1, help="Samples at a time and task; what a crash loses at most.")
    ] = 20,
    scenarios: Folders = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Run folder; the same command with the same folder resumes.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compact, replay, grade: both stages, resumed in the same folder."""
    from . import asking

    asked, found = asking.asked(
        scenarios=scenario or [],
        folders=scenarios or [],
        models=model,
        compactors=compactor or ["truncate", "inspect", "inspect-neutral"],
        writers=writer or [],
        mitigations=mitigation or [],
        continuation=continuation,
        cycles=cycles,
        arms=arms,
        probes=probes,
        draws=draws,
        epochs=epochs,
        limit=limit,
        window=window,
        seed=seed,
        attack=attack,
        turns=turns,
        config={"temperature": temperature, "max_tokens": max_tokens},
        model_args=model_arg or [],
    )
    _run(asked, found, out or asking.new_folder(), as_json, max_connections=max_connections, max_samples=max_samples)


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", help="Run folder.")] = Path("standfast-demo"), as_json: Json = False
) -> None:
    """The whole loop on scripted subjects: no key, no network. They test the instrument; they are no models."""
    from . import asking

    asked, scenarios = asking.demo()
    _run(asked, scenarios, out, as_json, html=True)


def _run(asked: Any, scenarios: Any, out: Path, as_json: bool, html: bool = False, **options: Any) -> None:
    from .asking import warnings
    from .loading import Runs
    from .progress import on_stderr
    from .run import run as run_both

    for warning in warnings(asked):
        print(f"standfast: {warning}", file=sys.stderr)
    folder = run_both(
        asked, scenarios, out, on_stderr(), **{key: value for key, value in options.items() if value is not None}
    )
    runs = Runs.of([folder.path])
    _report(runs, as_json)
    if html:
        from .report import writing

        for file in writing.write(runs, folder.path / "report.html"):
            print(f"report: {file}", file=sys.stderr)
    print(f"rows, logs and snapshots: {folder.path}", file=sys.stderr)


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    html: Annotated[Path | None, typer.Option("--html", help="Write one self-contained page into this file.")] = None,
    markdown: Annotated[Path | None, typer.Option("--md", help="Write the report as Markdown into this file.")] = None,
    png: Annotated[Path | None, typer.Option("--png", help="Write the charts as PNG into this folder.")] = None,
    as_json: Json = False,
) -> None:
    """Print what runs found: retention, behaviour, estimates, subtasks, and what was excluded."""
    from .loading import Runs
    from .report import writing

    found = Runs.of(runs)
    for file in writing.write(found, html, markdown, png):
        print(f"written: {file}", file=sys.stderr)
    if as_json or not (html or markdown or png):
        _report(found, as_json)


@app.command()
def compare(
    a: Annotated[Path, typer.Argument(help="A run folder.")],
    b: Annotated[Path, typer.Argument(help="Another, or the same with two --as.")],
    actors: Annotated[
        list[str] | None,
        typer.Option("--as", help="Model of both runs, or given twice: of A and of B. Needed where there are several."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Compare two runs, or two models: differences in pairs where their cells match. It gives no verdict."""
    from . import comparing
    from .loading import Runs

    if actors and len(actors) > 2:
        raise BadInput("--as", "is given at most twice: for A and for B")
    found = comparing.compare(Runs.of([a]), Runs.of([b]), actors or [])
    if as_json:
        print(json.dumps(found.as_data(), indent=1))
        return
    from .report.terminal import show_comparison

    show_comparison(found, _console())


@app.command()
def classify(
    rules: Annotated[Path, typer.Option("--rules", help="A rules file: a list of `id`, `text` and `atoms`.")],
    source: Annotated[Path, typer.Option("--input", help='Lines `{"rule": ID, "text": …}`; `-` is standard input.')],
    target: Annotated[Path, typer.Option("--output", help="The same lines, labelled; `-` is standard output.")],
) -> None:
    """Label texts by what they still say of a rule: intact, residue and of which kind, or dropped."""
    from . import classify as classifying
    from . import rulefile

    count = classifying.run(rulefile.load(rules), source, target)
    print(f"{count} lines labelled", file=sys.stderr)


@app.command()
def regrade(run: RunDir, as_json: Json = False) -> None:
    """Grade a run's recorded trials again with the present graders. No model is called."""
    from . import rows
    from .folder import RunFolder

    _print_lines([{"table": name, "rows": count} for name, count in rows.build(RunFolder(run)).items()], as_json)


@app.command()
def view(run: RunDir) -> None:
    """Look at a run's logs in Inspect's viewer, on the loopback address."""
    import subprocess

    from .folder import RunFolder

    logs = RunFolder(run).logs
    raise typer.Exit(subprocess.call([sys.executable, "-m", "inspect_ai", "view", "start", "--log-dir", str(logs)]))


def _report(runs: Runs, as_json: bool) -> None:
    if as_json:
        from .report.data import as_data

        found = [as_data(each) for each in runs.each()]
        print(json.dumps(found[0] if len(found) == 1 else found, indent=1))
        return
    from .report.terminal import show as show_tables

    for each in runs.each():
        show_tables(each, _console())


def _console() -> Console:
    from rich.console import Console

    # a pipe has no width: tables are then as wide as they need to be, and nothing is cut
    return Console() if sys.stdout.isatty() else Console(width=200)


def _print_lines(lines: list[dict[str, Any]], as_json: bool) -> None:
    if as_json:
        print(json.dumps(lines, indent=1))
        return
    keys = list(lines[0]) if lines else []
    widths = {key: max(len(str(line[key])) for line in lines) for key in keys}
    for line in lines:
        print("  ".join(str(line[key]).ljust(widths[key]) for key in keys).rstrip())
