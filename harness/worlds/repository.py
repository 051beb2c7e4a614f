"""A repository with branches, commits, pull requests, issues and a wiki: one working tree, nothing of it enforced.

A commit takes the changed files that it names to the branch that it names; whether it was asked for, whether the tests
ran before it and whether the session is one for planning is known from the conversation alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from ...graders.calls import Setting
from . import prose, toolbox
from .paths import Paths, below
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest

ROOT = "/repo"
_PATHS = Paths(ROOT, "/home/dev", {})
_BRANCH = re.compile(r"[A-Za-z0-9][\w./-]{0,99}", re.ASCII)
_PAGE = re.compile(r"W-(\d{4,6})", re.ASCII)

T = TypeVar("T")
Path = Annotated[str, Field(min_length=1, max_length=1024, description=f"absolute, or from {ROOT}")]
BranchName = Annotated[str, Field(description="name of the branch")]
Number = Annotated[int, Field(ge=1, le=99_999, description="number of the pull request")]


class Check(Strict):
    """One automatic test: it passes while its file holds a passage."""

    name: str = Field(description="as run_tests lists it")
    file: str = Field(description="path of the file that it looks at")
    passes_with: str = Field(description="passage that the file must hold")


class Issue(Strict):
    """One issue of the tracker, shown to the agent word for word."""

    title: str = Field(description="shown by read_issue")
    body: str = Field(default="", description="shown by read_issue")
    comments: tuple[str, ...] = Field(default=(), description="what has been said on it so far")


class PullRequest(Strict):
    """One pull request."""

    head: str = Field(description="branch that is to be merged")
    base: str = Field(description="branch that it goes into")
    title: str = Field(description="shown by show_pull_request")
    reviewer: str = Field(default="", description="who was asked to look at it")
    status: str = Field(default="open", description="open or merged, or any other word")
    note: str = Field(default="", description="shown with it")


class RepositoryStart(ClockStart):
    """Where a repository starts."""

    files: dict[str, str] = Field(description="path → content")
    branches: dict[str, tuple[str, ...]] = Field(
        default={"main": ("Initial import",)}, description="branch → messages of its commits, oldest first, all pushed"
    )
    checks: tuple[Check, ...] = Field(default=(), description="the automatic tests")
    issues: dict[str, Issue] = Field(default={}, description="issues by id")
    pull_requests: tuple[PullRequest, ...] = Field(default=(), description="numbered from 1 in this order")
    pages: dict[str, str] = Field(default={}, description="pages of the wiki by name, shown word for word")
    plan: str = Field(default="", description="the plan as it is written so far")
    maintainer: str = Field(default="the maintainer", description="who gets the questions")

    @field_validator("files")
    @classmethod
    def _absolute(cls, files: dict[str, str]) -> dict[str, str]:
        try:
            return {_placed(path): content for path, content in files.items()}
        except Refused as error:
            raise ValueError(str(error)) from error

    @field_validator("branches")
    @classmethod
    def _branches_are_named(cls, branches: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for name in branches:
            if not _BRANCH.fullmatch(name):
                raise ValueError(f"`{name}` is no name of a branch, such as fix/dates")
        return branches


@dataclass(frozen=True)
class Commit:
    """One commit of a branch."""

    id: str
    message: str
    files: tuple[str, ...] = ()


@dataclass
class Branch:
    """A branch: its commits, oldest first, and how many of them are pushed."""

    commits: list[Commit]
    pushed: int


@dataclass
class Repository:
    """The repository's state and its tools."""

    name: ClassVar[str] = "repository"
    about: ClassVar[str] = "a repository with commits, pull requests and tests: who may commit what, where and when"
    Start: ClassVar[type[BaseModel]] = RepositoryStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    files: dict[str, str]
    branches: dict[str, Branch]
    checks: list[Check]
    issues: dict[str, Issue]
    pull_requests: list[PullRequest]
    pages: dict[str, str]
    plan: str
    maintainer: str
    changed: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: RepositoryStart, seed: int) -> Self:
        """A repository as the scenario describes it."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            files=dict(data.files),
            branches={
                name: Branch([Commit(_digest("", i, text), text) for i, text in enumerate(texts)], len(texts))
                for name, texts in data.branches.items()
            },
            checks=list(data.checks),
            issues=dict(data.issues),
            pull_requests=list(data.pull_requests),
            pages=dict(data.pages),
            plan=data.plan,
            maintainer=data.maintainer,
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
        """The repository that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self, ROOT, "/home/dev")

    def filler(self, number: int) -> Bulk:
        """The number-th page of the wiki, read and summed up."""
        page, piece = f"W-{number:04d}", prose.piece(self.seed, number)
        return Bulk(prose.request(self.seed, number, page), "read_page", {"page": page}, f"{page}: {piece.gist}")

    @tool(reads=True)
    def repo_status(self) -> str:
        """Shows the changed files of the working tree, the branches and how far each is pushed."""
        changed = [f"changed: {path}" for path in sorted(self.changed)] or ["working tree clean"]
        return "\n".join([*changed, *(self._branch_line(name) for name in self.branches)])

    @tool(reads=True)
    def show_branch(self, branch: BranchName) -> str:
        """Lists the commits of a branch, newest first."""
        found = self._branch(branch)
        lines = [
            f"{one.id} {one.message}" + (f" ({', '.join(one.files)})" if one.files else "") for one in found.commits
        ]
        return "\n".join([self._branch_line(branch), *lines[::-1]])

    @tool()
    def create_branch(self, branch: BranchName, start: Annotated[str, Field(description="where it starts")]) -> str:
        """Makes a new branch that starts at another one."""
        source = self._branch(start)
        if branch in self.branches:
            raise Refused(f"branch `{branch}` is there already")
        if not _BRANCH.fullmatch(branch):
            raise Refused(f"`{branch}` is no name of a branch, such as fix/dates")
        self.branches[branch] = Branch(list(source.commits), min(source.pushed, len(source.commits)))
        return f"Branch {branch} starts at {start}."

    @tool()
    def commit_files(
        self,
        branch: BranchName,
        message: Annotated[str, Field(min_length=1)],
        files: Annotated[list[Path] | str, Field(description="the changed files that go into it")],
    ) -> str:
        """Commits changed files of the working tree to a branch; a file that is not named stays changed."""
        target = self._branch(branch)
        paths = [_PATHS.named(path) for path in ([files] if isinstance(files, str) else files)]
        for path in paths:
            if path not in self.changed:
                raise Refused(f"{path} has no changes; changed: {', '.join(sorted(self.changed)) or 'nothing'}")
        if not paths:
            raise Refused("`files` names no file")
        made = Commit(_digest(branch, len(target.commits), message), message, tuple(dict.fromkeys(paths)))
        target.commits.append(made)
        self.changed = [path for path in self.changed if path not in paths]
        return f"{made.id} on {branch}: {message} ({len(made.files)} files)"

    @tool()
    def push_branch(self, branch: BranchName, force: bool = False) -> str:
        """Pushes a branch to the server; `force` replaces what stands there."""
        found = self._branch(branch)
        new = len(found.commits) - found.pushed
        found.pushed = len(found.commits)
        return f"{branch}: {new} new commits on the server." if new or force else f"{branch}: everything up to date."

    @tool()
    def open_pull_request(
        self,
        head: Annotated[str, Field(description="branch that is to be merged")],
        base: Annotated[str, Field(description="branch that it goes into")],
        subject: Annotated[str, Field(min_length=1)],
        reviewer: Annotated[str, Field(description="who is asked to look at it")] = "",
    ) -> str:
        """Opens a pull request."""
        self._branch(head)
        self._branch(base)
        self.pull_requests.append(PullRequest(head=head, base=base, title=subject, reviewer=reviewer))
        return f"Pull request {len(self.pull_requests)} is open: {head} into {base}."

    @tool(reads=True)
    def show_pull_request(self, number: Number) -> str:
        """Shows a pull request."""
        one = self._pull_request(number)
        parts = {"Reviewer": one.reviewer, "Note": one.note}
        head = f"#{number} {one.title} ({one.head} into {one.base}), {one.status}"
        return "\n".join([head, *(f"{key}: {value}" for key, value in parts.items() if value)])

    @tool()
    def merge_pull_request(self, number: Number) -> str:
        """Merges a pull request into its base."""
        one = self._pull_request(number)
        if one.status == "merged":
            raise Refused(f"pull request {number} is merged already")
        base, head = self._branch(one.base), self._branch(one.head)
        base.commits += [commit for commit in head.commits if commit not in base.commits]
        self.pull_requests[number - 1] = one.model_copy(update={"status": "merged"})
        return f"Pull request {number} is merged into {one.base}."

    @tool(reads=True)
    def list_files(self, path: Path = ".") -> str:
        """Lists the files below a folder."""
        place = _PATHS.named(path)
        found = sorted(one for one in self.files if below(one, place))
        if not found:
            raise Refused(f"there is nothing at {place}; {nearest(place, self.files)}")
        return "\n".join(found)

    @tool(reads=True)
    def read_file(self, path: Path) -> str:
        """Shows a file of the working tree in full."""
        return self.files[self._file(path)]

    @tool()
    def edit_file(
        self,
        path: Path,
        old: Annotated[str, Field(min_length=1, description="passage that stands in the file exactly once")],
        new: Annotated[str, Field(description="passage that takes its place")],
    ) -> str:
        """Replaces one passage of a file in the working tree."""
        place = self._file(path)
        count = self.files[place].count(old)
        if count != 1:
            raise Refused(f"`old` stands {count} times in {place}, once was asked for")
        self._put(place, self.files[place].replace(old, new))
        return f"Edited {place}."

    @tool()
    def write_file(self, path: Path, content: str) -> str:
        """Writes a file in the working tree, new or in place of what was there."""
        place = _placed(path)
        if any(one != place and (below(one, place) or below(place, one)) for one in self.files):
            raise Refused(f"{place} is no place for a file: a file or a folder is in the way")
        self._put(place, content)
        return f"Wrote {place} ({len(content)} characters)."

    @tool()
    def delete_file(self, path: Path) -> str:
        """Deletes a file of the working tree."""
        place = self._file(path)
        self._touch(place)
        del self.files[place]
        return f"Deleted {place}."

    @tool(reads=True)
    def run_tests(
        self, filter: Annotated[str, Field(description="runs the tests with this in their name; empty: all")] = ""
    ) -> str:
        """Runs automatic tests on the working tree."""
        chosen = [one for one in self.checks if filter.strip().casefold() in one.name.casefold()]
        lines = [f"{'PASS' if self._passes(one) else 'FAIL'} {one.name} ({one.file})" for one in chosen]
        failed = sum(line.startswith("FAIL") for line in lines)
        return "\n".join([*lines, f"{len(lines)} run, {len(lines) - failed} passed, {failed} failed"])

    @tool(reads=True)
    def show_plan(self) -> str:
        """Shows the plan of this session."""
        return self.plan or "No plan is written yet."

    @tool()
    def write_plan(self, text: Annotated[str, Field(min_length=1)]) -> str:
        """Writes the plan of this session anew. It is kept beside the repository, not in it."""
        self.plan = text
        return f"The plan is written ({len(text.split())} words)."

    @tool(reads=True)
    def read_issue(self, issue: str) -> str:
        """Shows an issue with its comments."""
        one = self._issue(issue)
        return "\n".join(filter(None, [f"{issue}: {one.title}", one.body, *(f"- {text}" for text in one.comments)]))

    @tool()
    def comment_issue(self, issue: str, text: Annotated[str, Field(min_length=1)]) -> str:
        """Writes a comment on an issue."""
        one = self._issue(issue)
        self.issues[issue] = one.model_copy(update={"comments": (*one.comments, text)})
        return f"Comment {len(one.comments) + 1} stands on {issue}."

    @tool(reads=True)
    def read_page(self, page: str) -> str:
        """Shows a page of the wiki in full."""
        if page in self.pages:
            return self.pages[page]
        number = _PAGE.fullmatch(page)
        if number and f"W-{int(number[1]):04d}" == page:
            return prose.piece(self.seed, int(number[1])).text
        raise Refused(f"there is no page `{page}`; {nearest(page, self.pages)}")

    @tool(asks=True)
    def ask_maintainer(self, question: str) -> str:
        """Puts a question to the maintainer, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.maintainer)

    def _branch(self, name: str) -> Branch:
        return _known("branch", name, self.branches)

    def _branch_line(self, name: str) -> str:
        found = self.branches[name]
        return f"{name}: {len(found.commits)} commits, {len(found.commits) - found.pushed} not pushed"

    def _pull_request(self, number: int) -> PullRequest:
        if number > len(self.pull_requests):
            raise Refused(f"there is no pull request {number}; there are {len(self.pull_requests)}")
        return self.pull_requests[number - 1]

    def _issue(self, name: str) -> Issue:
        return _known("issue", name, self.issues)

    def _file(self, path: str) -> str:
        place = _PATHS.named(path)
        if place not in self.files:
            raise Refused(f"there is no file `{place}`; {nearest(place, self.files)}")
        return place

    def _put(self, place: str, content: str) -> None:
        self._touch(place)
        self.files[place] = content

    def _touch(self, place: str) -> None:
        if place not in self.changed:
            self.changed.append(place)

    def _passes(self, check: Check) -> bool:
        return check.passes_with in self.files.get(_PATHS.named(check.file), "")


def _placed(path: str) -> str:
    """The absolute path, where it lies in the repository; Refused where it does not."""
    place = _PATHS.named(path)
    if not below(place, ROOT) or place == ROOT:
        raise Refused(f"{place} lies outside the repository {ROOT}")
    return place


def _known(kind: str, name: str, known: dict[str, T]) -> T:
    if name not in known:
        raise Refused(f"there is no {kind} `{name}`; {nearest(name, known)}")
    return known[name]


def _digest(branch: str, number: int, message: str) -> str:
    return sha256(f"{branch}/{number}/{message}".encode()).hexdigest()[:7]
