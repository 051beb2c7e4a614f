"""A mailbox: mails in folders, contacts and shared files; what is moved, sent or shared shows in later reads."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from ...graders.calls import Setting
from ...graders.readers import Unreadable, read_addresses
from . import prose, toolbox
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, nearest


def _one_or_many(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


MailIds = Annotated[list[str], Field(min_length=1, description="ids of mails"), BeforeValidator(_one_or_many)]
Addresses = Annotated[list[str] | str, Field(description="one address or a list of them")]
FileNames = Annotated[list[str], Field(description="names of shared files"), BeforeValidator(_one_or_many)]
Folder = Annotated[str, Field(description="folder to look in; left out: all folders")]
Limit = Annotated[int, Field(ge=1, le=200, description="how many mails to list")]
Role = Annotated[Literal["reader", "commenter", "editor"], Field(description="what the other side can do with it")]


class Mail(Strict):
    """One mail; what stands in `subject` and `body` is shown to the agent word for word."""

    id: str = Field(description="as the tools name it, such as M-101")
    sender: str = Field(
        validation_alias="from", serialization_alias="from", description="address, with or without a display name"
    )
    to: str = Field(default="", description="left out: the owner of the mailbox")
    subject: str = Field(description="shown in lists")
    body: str = Field(description="shown by read_mail")
    folder: str = Field(default="inbox", description="where it lies")
    labels: tuple[str, ...] = Field(default=(), description="labels that it carries")
    date: str = Field(default="", description="as shown; left out: not shown")
    cc: str = Field(default="", description="as shown")
    bcc: str = Field(default="", description="as shown")
    attachments: tuple[str, ...] = Field(default=(), description="names of shared files that go with it")


class Contact(Strict):
    """An entry of the address book."""

    name: str = Field(description="as find_contact looks for it")
    address: str = Field(description="e-mail address")
    note: str = Field(default="", description="shown with it, such as a role or a firm")


class SharedFile(Strict):
    """A file of the shared drive."""

    name: str = Field(description="as the tools name it, such as contracts/msa.docx")
    content: str = Field(description="shown by read_file")
    shared: dict[str, str] = Field(default={}, description="who has it beside the owner: principal and role")


class MailboxStart(ClockStart):
    """Where a mailbox starts."""

    owner: str = Field(default="owner@acme-corp.com", description="address of the person whose mailbox it is")
    folders: tuple[str, ...] = Field(
        default=(), description="folders beyond those that mails lie in and the usual ones"
    )
    mails: tuple[Mail, ...] = Field(default=(), description="the mails there are")
    contacts: tuple[Contact, ...] = Field(default=(), description="the address book")
    files: tuple[SharedFile, ...] = Field(default=(), description="the shared drive")

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        for kind, names in (("mail", [m.id for m in self.mails]), ("file", [f.name for f in self.files])):
            for name in names:
                if names.count(name) > 1:
                    raise ValueError(f"{kind} `{name}` is there twice")
        for mail in self.mails:
            if re.fullmatch(r"[NSD]-\d+", mail.id):
                raise ValueError(f"mail `{mail.id}`: ids N-…, S-… and D-… belong to notices, sent mails and drafts")
        return self


@dataclass
class Mailbox:
    """The mailbox's state and its tools."""

    name: ClassVar[str] = "mailbox"
    about: ClassVar[str] = "mails in folders, contacts and shared files: triage, sending, sharing"
    Start: ClassVar[type[BaseModel]] = MailboxStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    owner: str
    folders: list[str]
    mails: dict[str, Mail]
    contacts: list[Contact]
    files: dict[str, SharedFile]
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: MailboxStart, seed: int) -> Self:
        """A mailbox as the scenario describes it."""
        usual = ("inbox", "sent", "drafts", "archive", "trash", "notices")
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            owner=data.owner,
            folders=list(dict.fromkeys([*usual, *data.folders, *(mail.folder for mail in data.mails)])),
            mails={mail.id: mail for mail in data.mails},
            contacts=list(data.contacts),
            files={file.name: file for file in data.files},
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
        """The mailbox that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self)

    def filler(self, number: int) -> Bulk:
        """The number-th notice of the feed, read and summed up."""
        piece = prose.piece(self.seed, number)
        ident = f"N-{number:04d}"
        return Bulk(prose.request(self.seed, number, ident), "read_mail", {"id": ident}, f"{ident}: {piece.gist}")

    @tool(reads=True)
    def search_mail(self, query: str, folder: Folder = "", limit: Limit = 20) -> str:
        """Lists mails that hold every word of the query (empty: all mails), one a line.

        Notices of the feed (N-0000, N-0001, …) are not listed; read_mail opens them by id.
        """
        if folder and folder not in self.folders:
            raise Refused(f"there is no folder `{folder}`; {nearest(folder, self.folders)}")
        words = query.casefold().split()
        found = [m for m in self.mails.values() if folder in ("", m.folder) and _holds(m, words)]
        counts = f"{len(found)} of {len(self.mails)} mails match"
        return "\n".join(
            [counts + (f", the first {limit}:" if len(found) > limit else "."), *map(_line, found[:limit])]
        )

    @tool(reads=True)
    def read_mail(self, id: str) -> str:
        """Shows one mail in full."""
        mail = self._mail(id)
        heads = {
            "From": mail.sender,
            "To": mail.to or self.owner,
            "Cc": mail.cc,
            "Bcc": mail.bcc,
            "Date": mail.date,
            "Subject": mail.subject,
            "Folder": mail.folder,
            "Labels": ", ".join(mail.labels),
            "Attached": ", ".join(mail.attachments),
        }
        return "\n".join([f"{key}: {value}" for key, value in heads.items() if value] + ["", mail.body])

    @tool()
    def label_mail(self, ids: MailIds, label: Annotated[str, Field(min_length=1)]) -> str:
        """Puts a label on mails."""
        for mail in self._mails(ids):
            labels = tuple(dict.fromkeys([*mail.labels, label]))
            self.mails[mail.id] = mail.model_copy(update={"labels": labels})
        return f"Labelled {label}: {', '.join(dict.fromkeys(ids))}."

    @tool()
    def archive_mail(self, ids: MailIds) -> str:
        """Moves mails into the folder archive."""
        return self._move(ids, "archive")

    @tool()
    def trash_mail(self, ids: MailIds) -> str:
        """Moves mails into the folder trash."""
        return self._move(ids, "trash")

    @tool()
    def draft_mail(self, to: Addresses, subject: str, body: str) -> str:
        """Writes a mail into the folder drafts without sending it."""
        ident = self._write("D", "drafts", subject, body, to=_addresses("to", to))
        return f"Draft {ident} is in the folder drafts; it was not sent."

    @tool()
    def send_mail(
        self,
        to: Addresses,
        subject: str,
        body: str,
        cc: Addresses = "",
        bcc: Addresses = "",
        attach: FileNames = [],  # noqa: B006 - read as a declaration, copied by the check
    ) -> str:
        """Sends a mail at once, with shared files attached by name."""
        for name in attach:
            self._file(name)
        heads = {
            key: _addresses(key, value) for key, value in (("to", to), ("cc", cc), ("bcc", bcc)) if value or key == "to"
        }
        ident = self._write("S", "sent", subject, body, attachments=tuple(attach), **heads)
        return f"Sent as {ident} to {heads['to']}" + (f" with {', '.join(attach)} attached." if attach else ".")

    @tool(reads=True)
    def find_contact(self, name: Annotated[str, Field(description="a part of a name, address or note")]) -> str:
        """Lists contacts of the address book that hold every word given."""
        words = name.casefold().split()
        entries = [", ".join(filter(None, (c.name, f"<{c.address}>", c.note))) for c in self.contacts]
        found = [entry for entry in entries if all(word in entry.casefold() for word in words)]
        if not found:
            raise Refused(f"no contact holds `{name}`; {nearest(name, [c.name for c in self.contacts])}")
        return "\n".join(found)

    @tool(reads=True)
    def list_files(self) -> str:
        """Lists the shared files and who has each."""
        lines = [f"{file.name} ({len(file.content)} characters){_sharers(file)}" for file in self.files.values()]
        return "\n".join(lines) or "There are no shared files."

    @tool(reads=True)
    def read_file(self, name: str) -> str:
        """Shows a shared file in full."""
        file = self._file(name)
        return f"{file.name}{_sharers(file)}\n\n{file.content}"

    @tool()
    def share_file(
        self,
        file: Annotated[str, Field(description="name of a shared file")],
        principal: Annotated[str, Field(min_length=1, description="address, group or domain that gets it")],
        role: Role = "reader",
    ) -> str:
        """Gives somebody a shared file at once."""
        found = self._file(file)
        self.files[file] = found.model_copy(update={"shared": {**found.shared, principal: role}})
        return f"{principal} has {file} as {role}."

    @tool(asks=True)
    def ask_owner(self, question: str) -> str:
        """Puts a question to the owner of the mailbox, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.owner)

    def _mail(self, ident: str) -> Mail:
        if ident in self.mails:
            return self.mails[ident]
        number = re.fullmatch(r"N-(\d{4,6})", ident, re.ASCII)
        if number and f"N-{int(number[1]):04d}" == ident:
            return self._notice(int(number[1]))
        raise Refused(f"there is no mail `{ident}`; {nearest(ident, self.mails)}")

    def _notice(self, number: int) -> Mail:
        piece = prose.piece(self.seed, number)
        sender = prose.sender(self.seed, number)
        return Mail(id=f"N-{number:04d}", sender=sender, subject=piece.title, body=piece.text, folder="notices")

    def _mails(self, idents: Iterable[str]) -> list[Mail]:
        """All of them or Refused, so that a wrong id leaves no half of the work behind."""
        return [self._mail(ident) for ident in dict.fromkeys(idents)]

    def _file(self, name: str) -> SharedFile:
        if name not in self.files:
            raise Refused(f"there is no shared file `{name}`; {nearest(name, self.files)}")
        return self.files[name]

    def _move(self, idents: list[str], folder: str) -> str:
        mails = self._mails(idents)
        for mail in mails:
            self.mails[mail.id] = mail.model_copy(update={"folder": folder})
        stayed = [mail.id for mail in mails if mail.folder == folder]
        moved = [mail.id for mail in mails if mail.folder != folder]
        said = [f"Moved to {folder}: {', '.join(moved)}."] if moved else []
        return " ".join(said + ([f"Already there: {', '.join(stayed)}."] if stayed else []))

    def _write(self, prefix: str, folder: str, subject: str, body: str, **more: Any) -> str:
        ident = f"{prefix}-{sum(known.startswith(prefix + '-') for known in self.mails) + 1}"
        self.mails[ident] = Mail(
            id=ident, sender=self.owner, subject=subject, body=body, folder=folder, date=self.now, **more
        )
        return ident


def _holds(mail: Mail, words: list[str]) -> bool:
    text = "\n".join((mail.id, mail.sender, mail.to, mail.subject, mail.body, *mail.labels)).casefold()
    return all(word in text for word in words)


def _line(mail: Mail) -> str:
    labels = f" [{', '.join(mail.labels)}]" if mail.labels else ""
    return f"{mail.id} | {mail.folder} | {mail.sender} | {mail.subject}{labels}"


def _sharers(file: SharedFile) -> str:
    return "".join(f", {principal} as {role}" for principal, role in file.shared.items())


def _addresses(key: str, value: list[str] | str) -> str:
    """The addresses as the graders read them: what is sent and what is graded cannot differ."""
    try:
        found = list(read_addresses(value))
    except Unreadable as error:
        raise Refused(f"`{key}`: {error}") from error
    if not found:
        raise Refused(f"`{key}` holds no address")
    return ", ".join(found)
