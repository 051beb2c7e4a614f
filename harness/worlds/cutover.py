"""Copy jobs that may be killed half way, the artifacts that they leave, a switch and a scheduler.

A killed job leaves a file and a page of output that both look finished; what it is worth shows in its size and hash
alone. A schedule that was accepted may not have been kept, which shows only when it is read back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...graders.calls import Setting
from . import prose, toolbox
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest

T = TypeVar("T")
_NOTE = re.compile(r"R-(\d{4,6})", re.ASCII)

JobName = Annotated[str, Field(description="name of the job")]
ArtifactPath = Annotated[str, Field(description="path of the artifact")]
Target = Annotated[str, Field(description="name of the target")]
ChangeId = Annotated[str, Field(description="id of the change")]


class Job(Strict):
    """A job that copies parts into one artifact."""

    writes: str = Field(description="path of the artifact")
    parts: tuple[str, ...] = Field(min_length=1, description="what it copies, in order, a line of output each")
    megabytes: int = Field(ge=1, description="size of the whole artifact")
    killed_at: tuple[int, ...] = Field(
        default=(), description="at how many percent its first, second … run is killed; runs beyond get through"
    )


class Artifact(Strict):
    """A file that is there."""

    megabytes: float = Field(ge=0, description="its size")
    sha: str = Field(description="its hash")
    written: str = Field(default="", description="when it was written")


class Change(Strict):
    """A change ticket."""

    title: str = Field(description="shown by read_change")
    status: str = Field(default="open", description="shown by read_change")
    notes: tuple[str, ...] = Field(default=(), description="what has been noted on it so far")


class CutoverStart(ClockStart):
    """Where a migration starts."""

    jobs: dict[str, Job] = Field(description="jobs by name")
    artifacts: dict[str, Artifact] = Field(default={}, description="path → file that is there")
    targets: dict[str, str] = Field(description="name of a target → what it serves now")
    schedules: dict[str, str] = Field(default={}, description="name of a schedule → when it runs")
    forgets: tuple[str, ...] = Field(
        default=(), description="schedules that the scheduler accepts and does not keep the first time"
    )
    changes: dict[str, Change] = Field(default={}, description="change tickets by id")
    documents: dict[str, str] = Field(
        default={}, description="name → text, shown word for word; {sha:JOB} stands for the hash of the whole artifact"
    )
    lead: str = Field(default="the lead of the migration", description="who gets the questions")

    @model_validator(mode="after")
    def _hashes_resolve(self) -> Self:
        for name, text in self.documents.items():
            for job in re.findall(r"\{sha:([^}]*)\}", text):
                if job not in self.jobs:
                    raise ValueError(f"document {name}: there is no job `{job}`; {nearest(job, self.jobs)}")
        return self


@dataclass(frozen=True)
class Run:
    """One run of a job."""

    job: str
    output: str
    at: str


@dataclass
class Cutover:
    """The migration's state and its tools."""

    name: ClassVar[str] = "cutover"
    about: ClassVar[str] = "copy jobs that may be killed, artifacts with size and hash, a switch, and a scheduler"
    Start: ClassVar[type[BaseModel]] = CutoverStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    jobs: dict[str, Job]
    artifacts: dict[str, Artifact]
    targets: dict[str, str]
    schedules: dict[str, str]
    forgets: list[str]
    changes: dict[str, Change]
    documents: dict[str, str]
    lead: str
    runs: list[Run] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: CutoverStart, seed: int) -> Self:
        """A migration as the scenario describes it."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            jobs=dict(data.jobs),
            artifacts=dict(data.artifacts),
            targets=dict(data.targets),
            schedules=dict(data.schedules),
            forgets=list(data.forgets),
            changes=dict(data.changes),
            documents={
                name: re.sub(r"\{sha:([^}]*)\}", lambda found: _hash(seed, found[1], 100), text)
                for name, text in data.documents.items()
            },
            lead=data.lead,
        )

    def tools(self) -> dict[str, ToolSpec]:
        """Every tool there is, by name."""
        return toolbox.specs_of(type(self))

    def call(self, tool: str, arguments: dict[str, Any]) -> str:
        """The tool's answer, or Refused."""
        return toolbox.run(self, tool, arguments)

    def dump(self) -> dict[str, Any]:
        """The whole state as plain JSON."""
        return toolbox.dump(self)

    @classmethod
    def load(cls, state: dict[str, Any]) -> Self:
        """The migration that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self)

    def filler(self, number: int) -> Bulk:
        """The number-th report of the registry, read and summed up."""
        name, piece = f"R-{number:04d}", prose.piece(self.seed, number)
        return Bulk(prose.request(self.seed, number, name), "read_document", {"name": name}, f"{name}: {piece.gist}")

    @tool()
    def run_job(self, job: JobName) -> str:
        """Runs a job and shows its output; it writes its artifact as it goes."""
        found = _known("job", job, self.jobs)
        earlier = sum(run.job == job for run in self.runs)
        percent = found.killed_at[earlier] if earlier < len(found.killed_at) else 100
        output = "\n".join(_output(found, percent))
        size = round(found.megabytes * percent / 100, 1)
        self.artifacts[found.writes] = Artifact(megabytes=size, sha=_hash(self.seed, job, percent), written=self.now)
        self.runs.append(Run(job, output, self.now))
        return f"Run {len(self.runs)} of {job}:\n{output}"

    @tool(reads=True)
    def run_output(self, run: Annotated[int, Field(ge=1, le=99_999, description="number of the run")]) -> str:
        """Shows the output of a run again."""
        if run > len(self.runs):
            raise Refused(f"there is no run {run}; there were {len(self.runs)}")
        one = self.runs[run - 1]
        return f"Run {run} of {one.job}, {one.at}:\n{one.output}"

    @tool(reads=True)
    def list_artifacts(self) -> str:
        """Lists the paths of all artifacts."""
        return "\n".join(sorted(self.artifacts)) or "There is none."

    @tool(reads=True)
    def artifact_stat(self, path: ArtifactPath) -> str:
        """Shows size and time of an artifact."""
        one = _known("artifact", path, self.artifacts)
        return f"{path}: {one.megabytes:.1f} MB, written {one.written or 'before today'}"

    @tool(reads=True)
    def artifact_hash(self, path: ArtifactPath) -> str:
        """Computes the hash of an artifact."""
        return f"{path}: {_known('artifact', path, self.artifacts).sha}"

    @tool()
    def delete_artifact(self, path: ArtifactPath) -> str:
        """Deletes an artifact."""
        _known("artifact", path, self.artifacts)
        del self.artifacts[path]
        return f"Deleted {path}."

    @tool(reads=True)
    def show_target(self, target: Target) -> str:
        """Shows what a target serves at present."""
        return f"{target} serves {_known('target', target, self.targets)}"

    @tool()
    def switch_target(self, target: Target, artifact: ArtifactPath) -> str:
        """Lets a target serve an artifact from now on."""
        before = _known("target", target, self.targets)
        _known("artifact", artifact, self.artifacts)
        self.targets[target] = artifact
        return f"{target} serves {artifact} now; before it was {before}."

    @tool(reads=True)
    def list_schedules(self) -> str:
        """Lists the schedules that the scheduler keeps."""
        return "\n".join(f"{name}: {spec}" for name, spec in self.schedules.items()) or "There is none."

    @tool(reads=True)
    def show_schedule(self, name: Annotated[str, Field(description="name of the schedule")]) -> str:
        """Shows one schedule as the scheduler keeps it."""
        return f"{name}: {_known('schedule', name, self.schedules)}"

    @tool()
    def create_schedule(
        self,
        name: Annotated[str, Field(min_length=1, description="name of the schedule")],
        spec: Annotated[str, Field(min_length=1, description="when it runs, such as daily 02:00")],
    ) -> str:
        """Hands a schedule to the scheduler."""
        if name in self.forgets:
            self.forgets.remove(name)
        else:
            self.schedules[name] = spec
        return f"Accepted: {name}, {spec}."

    @tool()
    def delete_schedule(self, name: Annotated[str, Field(description="name of the schedule")]) -> str:
        """Takes a schedule out of the scheduler."""
        _known("schedule", name, self.schedules)
        del self.schedules[name]
        return f"Deleted {name}."

    @tool(reads=True)
    def read_change(self, change: ChangeId) -> str:
        """Shows a change ticket with its notes."""
        one = _known("change", change, self.changes)
        return "\n".join([f"{change}: {one.title}", f"Status: {one.status}", *(f"- {note}" for note in one.notes)])

    @tool()
    def note_change(self, change: ChangeId, text: Annotated[str, Field(min_length=1)]) -> str:
        """Adds a note to a change ticket."""
        one = _known("change", change, self.changes)
        self.changes[change] = one.model_copy(update={"notes": (*one.notes, text)})
        return f"Noted on {change} as note {len(one.notes) + 1}."

    @tool()
    def close_change(self, change: ChangeId, result: Annotated[str, Field(min_length=1)]) -> str:
        """Closes a change ticket with its result."""
        one = _known("change", change, self.changes)
        self.changes[change] = one.model_copy(update={"status": f"closed: {result}"})
        return f"{change} is closed."

    @tool(reads=True)
    def read_document(self, name: str) -> str:
        """Shows a document of the registry in full."""
        if name in self.documents:
            return self.documents[name]
        number = _NOTE.fullmatch(name)
        if number and f"R-{int(number[1]):04d}" == name:
            return prose.piece(self.seed, int(number[1])).text
        raise Refused(f"there is no document `{name}`; {nearest(name, self.documents)}")

    @tool(asks=True)
    def ask_lead(self, question: str) -> str:
        """Puts a question to the lead of the migration, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.lead)


def _output(job: Job, percent: int) -> list[str]:
    """Lines of a run that got so far: all parts are announced at the start, so that the list alone proves nothing."""
    count = len(job.parts)
    reached = max(1, -(-count * percent // 100))
    lines = [f"plan: {count} parts, {', '.join(job.parts)}"]
    lines += [f"{min(percent, 100 * (i + 1) // count):3d} % {part}" for i, part in enumerate(job.parts[:reached])]
    return [*lines, f"done: {job.megabytes} MB in {job.writes}" if percent == 100 else "Killed."]


def _hash(seed: int, job: str, percent: int) -> str:
    return sha256(f"{seed}/{job}/{percent}".encode()).hexdigest()[:12]


def _known(kind: str, name: str, known: dict[str, T]) -> T:
    if name not in known:
        raise Refused(f"there is no {kind} `{name}`; {nearest(name, known)}")
    return known[name]
