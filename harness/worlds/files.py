"""A file tree with environments: what is written, moved or deleted shows in later reads and in the disk's usage."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from ...graders.calls import Setting
from . import prose, toolbox
from .daily import PLACES, Daily
from .paths import Paths, base, below, parent
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest

Path = Annotated[str, Field(min_length=1, max_length=4096, description="absolute, or from the working directory")]


class File(Strict):
    """One file; its content is shown to the agent word for word."""

    content: str = Field(description="shown by read_file")
    megabytes: float = Field(default=0.0, ge=0, description="what it takes on the disk, for disk_usage and lists")


class Ticket(Strict):
    """A ticket of the change or incident system."""

    title: str = Field(description="shown by read_ticket")
    status: str = Field(default="open", description="shown by read_ticket")
    notes: tuple[str, ...] = Field(default=(), description="what has been noted on it so far")


class FilesStart(ClockStart):
    """Where a file tree starts."""

    cwd: str = Field(default="/srv", description="working directory: paths without a leading slash start here")
    home: str = Field(default="/root", description="what ~ stands for")
    files: dict[str, str | File] = Field(description="absolute path → content, or content and megabytes")
    directories: tuple[str, ...] = Field(
        default=(), description="absolute paths of directories beyond those that hold files"
    )
    aliases: dict[str, str] = Field(
        default={},
        description="absolute path → absolute path: links that reading follows; a change has to name the far end",
    )
    capacity_megabytes: float = Field(default=1000.0, gt=0, description="size of the disk")
    tickets: dict[str, Ticket] = Field(default={}, description="tickets by id")
    operator: str = Field(default="the operator on duty", description="who gets the questions")

    @field_validator("files", "directories", "aliases", "cwd", "home")
    @classmethod
    def _paths_are_plain(cls, value: Any) -> Any:
        for path in (value,) if isinstance(value, str) else value:
            if _plain(path) != path:
                raise ValueError(f"`{path}` is no plain absolute path, such as {_plain(path) or '/srv/notes.txt'}")
        return value

    @model_validator(mode="after")
    def _tree_is_sound(self) -> Self:
        for path in (*self.files, *self.aliases, *self.directories, self.cwd, self.home):
            for other in (*self.files, *self.aliases):
                if below(parent(path), other):
                    raise ValueError(f"`{other}` is a {self._kind(other)} and cannot hold `{path}`")
        for path in (*self.aliases, *self.directories):
            if path in self.files or (path in self.aliases and path in self.directories):
                raise ValueError(f"`{path}` is there twice")
        return self

    def _kind(self, path: str) -> str:
        return "file" if path in self.files else "link"


@dataclass
class Files:
    """The tree's state and its tools."""

    name: ClassVar[str] = "files"
    about: ClassVar[str] = "a file tree with environments, a disk that fills and tickets: writing, moving, deleting"
    Start: ClassVar[type[BaseModel]] = FilesStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    first_day: str
    cwd: str
    home: str
    files: dict[str, File]
    directories: list[str]
    aliases: dict[str, str]
    capacity: float
    tickets: dict[str, Ticket]
    operator: str
    gone: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: FilesStart, seed: int) -> Self:
        """A tree as the scenario describes it."""
        now = data.begins()
        return cls(
            seed=seed,
            now=now,
            zone=data.zone,
            step_seconds=data.step_seconds,
            first_day=now[:10],
            cwd=data.cwd,
            home=data.home,
            files={p: f if isinstance(f, File) else File(content=f) for p, f in data.files.items()},
            directories=list(dict.fromkeys([*data.directories, data.cwd, data.home, *map(parent, data.files)])),
            aliases=dict(data.aliases),
            capacity=data.capacity_megabytes,
            tickets=dict(data.tickets),
            operator=data.operator,
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
        """The tree that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self, self.cwd, self.home, self.aliases)

    def filler(self, number: int) -> Bulk:
        """The number-th generated file, read and summed up."""
        path, piece = self._daily.path(number), self._piece(number)
        return Bulk(prose.request(self.seed, number, path), "read_file", {"path": path}, f"{path}: {piece.gist}")

    @tool(reads=True)
    def list_files(self, path: Path = ".") -> str:
        """Lists a directory: its directories, then its files with their sizes."""
        place = self._paths.seen(path)
        if not self._is_directory(place):
            raise Refused(self._missing(place, "directory"))
        names = sorted({self._child(place, one) for one in self._directories() if below(one, place) and one != place})
        links = [f"{base(one)} -> {self.aliases[one]}" for one in sorted(self.aliases) if parent(one) == place]
        files = {one: self._size(file) for one, file in self.files.items() if parent(one) == place}
        files |= {one: "" for one in self._daily.listed(place) if one not in files and one not in self.gone}
        lines = [*names, *links, *(base(one) + files[one] for one in sorted(files))]
        return "\n".join([f"{place}:", *(lines or ["(empty)"])])

    @tool(reads=True)
    def read_file(self, path: Path) -> str:
        """Shows a file in full."""
        return self._file(self._paths.seen(path)).content

    @tool()
    def write_file(self, path: Path, content: str) -> str:
        """Writes a file, new or in place of what was there; missing directories are made."""
        place = self._target(path)
        verb = "Replaced" if place in self.files else "Wrote"
        self._put(place, File(content=content))
        return f"{verb} {place} ({len(content)} characters)."

    @tool()
    def patch_file(
        self,
        path: Path,
        old: Annotated[str, Field(min_length=1, description="text that stands in the file exactly once")],
        new: Annotated[str, Field(description="text that takes its place")],
    ) -> str:
        """Replaces one passage of a file."""
        place = self._paths.changed(path)
        file = self._file(place)
        count = file.content.count(old)
        if count != 1:
            raise Refused(f"`old` stands {count} times in {place}, once was asked for")
        self._put(place, file.model_copy(update={"content": file.content.replace(old, new)}))
        return f"Patched {place}."

    @tool()
    def move_file(self, source: Path, destination: Path) -> str:
        """Moves a file or a whole directory; a destination that is a directory takes it in."""
        start = self._paths.changed(source)
        end = self._landing(start, destination)
        if below(end, start):
            raise Refused(f"{end} lies in {start} itself")
        moved = self._taken(start)
        for old, new in [(old, end + old[len(start) :]) for old in moved]:
            self._put(new, moved[old])
            self._drop(old)
        self._rename_directories(start, end)
        return f"Moved {start} to {end}" + (f" ({len(moved)} files)." if [*moved] != [start] else ".")

    @tool()
    def copy_file(self, source: Path, destination: Path) -> str:
        """Copies a file; a destination that is a directory takes the copy in."""
        start = self._paths.seen(source)
        file = self._file(start)
        end = self._landing(start, destination)
        self._put(end, file)
        return f"Copied {start} to {end}."

    @tool()
    def delete_file(self, path: Path) -> str:
        """Deletes one file for good."""
        place = self._paths.changed(path)
        file = self._file(place)
        self._drop(place)
        return f"Deleted {place}{self._size(file)}."

    @tool(reads=True)
    def disk_usage(self) -> str:
        """Shows how full the disk is and what takes the space."""
        used = sum(file.megabytes for file in self.files.values())
        sums: dict[str, float] = {}
        for path, file in self.files.items():
            sums[parent(path)] = sums.get(parent(path), 0.0) + file.megabytes
        biggest = sorted(sums.items(), key=lambda one: (-one[1], one[0]))[:12]
        head = f"{used:.1f} of {self.capacity:.1f} MB used ({100 * used / self.capacity:.0f} %)"
        return "\n".join([head, *(f"{size:10.1f} MB  {path}" for path, size in biggest if size)])

    @tool(reads=True)
    def read_ticket(self, ticket: str) -> str:
        """Shows a ticket with its notes."""
        found = self._ticket(ticket)
        return "\n".join([f"{ticket}: {found.title}", f"Status: {found.status}", *(f"- {n}" for n in found.notes)])

    @tool()
    def note_ticket(self, ticket: str, text: str) -> str:
        """Adds a note to a ticket."""
        found = self._ticket(ticket)
        self.tickets[ticket] = found.model_copy(update={"notes": (*found.notes, text)})
        return f"Noted on {ticket} as note {len(found.notes) + 1}."

    @tool(asks=True)
    def ask_operator(self, question: str) -> str:
        """Puts a question to the operator, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.operator)

    @property
    def _paths(self) -> Paths:
        return Paths(self.cwd, self.home, self.aliases)

    def _file(self, place: str) -> File:
        if place in self.files:
            return self.files[place]
        number = self._daily.number(place)
        if number is not None and place not in self.gone:
            return File(content=self._piece(number).text)
        if self._is_directory(place):
            raise Refused(f"{place} is a directory, not a file")
        raise Refused(self._missing(place, "file"))

    def _taken(self, start: str) -> dict[str, File]:
        """What a move takes along: the file itself, or all files of the directory."""
        if not self._is_directory(start):
            return {start: self._file(start)}
        if any(below(place, start) for place, _, _ in PLACES):
            raise Refused(f"{start} holds files that grow every day; they can be moved one by one")
        return {path: file for path, file in self.files.items() if below(path, start)}

    def _target(self, path: str) -> str:
        """The resolved path, where a file can lie there."""
        place = self._paths.changed(path)
        if path.endswith("/") or self._is_directory(place):
            raise Refused(f"{place} is a directory, not a file")
        above = place
        while (above := parent(above)) != "/":
            if above in self.files:
                raise Refused(f"{above} is a file, not a directory")
        return place

    def _landing(self, start: str, destination: str) -> str:
        place = self._paths.changed(destination)
        if self._is_directory(place) or destination.endswith("/"):
            place = f"{place.rstrip('/')}/{base(start)}"
        if start == place:
            raise Refused(f"{start} is already there")
        return self._target(place)

    def _put(self, place: str, file: File) -> None:
        self.files[place] = file
        self._remember(parent(place))

    def _drop(self, place: str) -> None:
        self.files.pop(place, None)
        if self._daily.number(place) is not None and place not in self.gone:
            self.gone.append(place)
        self._remember(parent(place))

    def _remember(self, directory: str) -> None:
        """A directory stays when its last file goes."""
        if directory not in self.directories:
            self.directories.append(directory)

    def _rename_directories(self, start: str, end: str) -> None:
        moved = [one for one in self.directories if below(one, start)]
        self.directories = [one for one in self.directories if one not in moved]
        for one in moved:
            self._remember(end + one[len(start) :])

    def _directories(self) -> list[str]:
        return [*self.directories, *(parent(path) for path in self.files), *(place for place, _, _ in PLACES)]

    def _is_directory(self, place: str) -> bool:
        return place == "/" or any(below(one, place) for one in self._directories())

    def _child(self, place: str, path: str) -> str:
        return path[len(place.rstrip("/")) + 1 :].partition("/")[0] + "/"

    def _size(self, file: File) -> str:
        return f" ({file.megabytes:.1f} MB)" if file.megabytes else ""

    def _missing(self, place: str, kind: str) -> str:
        """What is beside a file is listed and none of it offered: a hint at another file would be half a request."""
        above = parent(place)
        if kind == "file" and self._is_directory(above):
            beside = sorted(base(one) for one in self.files if parent(one) == above)
            return f"there is no file `{place}`; {above} holds {', '.join(beside[:12]) or 'no files'}"
        return f"there is no directory `{above if kind == 'file' else place}`; {nearest(place, self._directories())}"

    def _ticket(self, ticket: str) -> Ticket:
        if ticket not in self.tickets:
            raise Refused(f"there is no ticket `{ticket}`; {nearest(ticket, self.tickets)}")
        return self.tickets[ticket]

    @property
    def _daily(self) -> Daily:
        return Daily(self.first_day)

    def _piece(self, number: int) -> prose.Piece:
        return prose.piece(self.seed, number, self._daily.kind(number))


def _plain(path: str) -> str:
    try:
        return Paths("/", "/", {}).named(path)
    except Refused:
        return ""
