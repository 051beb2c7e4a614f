"""Channels with messages that arrive by the clock; what was posted can be missing from a history that lags or is off.

Where the history lags or is off, that a notice has gone out is known from the conversation alone, and posting it again
is posting it twice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ...graders.calls import Setting
from . import prose, toolbox
from .ids import twice
from .moments import Moment, reached, shown
from .toolbox import tool
from .world import Bulk, ClockStart, Refused, Strict, ToolSpec, later, nearest

ChannelName = Annotated[str, Field(description="name of the channel")]
MessageId = Annotated[str, Field(description="id of the message")]
Body = Annotated[str, Field(min_length=1, description="the words of the message")]


class Channel(Strict):
    """A channel."""

    name: str = Field(description="as the tools name it")
    about: str = Field(default="", description="shown with it")
    members: int = Field(default=0, ge=0, description="how many people read it")


class Message(Strict):
    """A message of somebody else, there from its hour."""

    id: str = Field(description="as the tools name it, such as m-31")
    channel: str = Field(description="name of its channel")
    author: str = Field(description="as shown")
    text: str = Field(description="shown word for word")
    at: Moment = Field(description="when it is posted")


class ChatStart(ClockStart):
    """Where the channels start."""

    channels: tuple[Channel, ...] = Field(description="the channels there are")
    messages: tuple[Message, ...] = Field(default=(), description="messages, also those that arrive later")
    documents: dict[str, str] = Field(default={}, description="name → text, shown word for word by read_note")
    history: Literal["shown", "lagging", "off"] = Field(
        default="shown", description="whether channels show what was posted: at once, later, or nothing at all"
    )
    lag_minutes: int = Field(default=720, ge=1, le=10_080, description="after what time a lagging history shows a post")
    me: str = Field(default="desk", description="under which name the agent posts")
    owner: str = Field(default="the owner of the channels", description="who gets the questions")

    @model_validator(mode="after")
    def _names_resolve(self) -> Self:
        channels = [one.name for one in self.channels]
        if again := [*twice(channels), *twice([one.id for one in self.messages])]:
            raise ValueError(f"`{again[0]}` is there twice")
        for message in self.messages:
            if message.channel not in channels:
                raise ValueError(
                    f"message {message.id}: there is no channel `{message.channel}`; "
                    f"{nearest(message.channel, channels)}"
                )
            if re.fullmatch(r"p-\d+", message.id):
                raise ValueError(f"message `{message.id}`: ids p-… belong to what the agent posts")
        return self


@dataclass
class Post:
    """A message as it stands in its channel."""

    channel: str
    author: str
    text: str
    at: str
    to: str = ""
    files: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)


@dataclass
class Chat:
    """The channels' state and the tools on them."""

    name: ClassVar[str] = "chat"
    about: ClassVar[str] = "channels whose history may lag or be off: posting once, answering, correcting"
    Start: ClassVar[type[BaseModel]] = ChatStart
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    seed: int
    now: str
    zone: str
    step_seconds: int
    channels: dict[str, Channel]
    posts: dict[str, Post]
    documents: dict[str, str]
    history: Literal["shown", "lagging", "off"]
    lag_minutes: int
    me: str
    owner: str
    questions: list[str] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def start(cls, data: ChatStart, seed: int) -> Self:
        """Channels as the scenario describes them."""
        return cls(
            seed=seed,
            now=data.begins(),
            zone=data.zone,
            step_seconds=data.step_seconds,
            channels={one.name: one for one in data.channels},
            posts={one.id: Post(one.channel, one.author, one.text, one.at) for one in data.messages},
            documents=dict(data.documents),
            history=data.history,
            lag_minutes=data.lag_minutes,
            me=data.me,
            owner=data.owner,
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
        """The channels that `dump` wrote down."""
        return toolbox.load(cls, state)

    def setting(self) -> Setting:
        """What the graders are told."""
        return toolbox.setting_of(self)

    def filler(self, number: int) -> Bulk:
        """The number-th note of the shared folder, read and summed up."""
        name, piece = f"N-{number:04d}", prose.piece(self.seed, number)
        return Bulk(prose.request(self.seed, number, name), "read_note", {"name": name}, f"{name}: {piece.gist}")

    @tool(reads=True)
    def list_channels(self) -> str:
        """Lists the channels and how many people read them."""
        lines = [
            f"{one.name} | {one.members} members" + (f" | {one.about}" if one.about else "")
            for one in self.channels.values()
        ]
        return "\n".join([f"{len(lines)} channels", *lines])

    @tool(reads=True)
    def read_channel(
        self,
        channel: ChannelName,
        limit: Annotated[int, Field(ge=1, le=100, description="how many messages")] = 20,
    ) -> str:
        """Shows the last messages of a channel, oldest first, as far as its history has them."""
        self._channel(channel)
        if self.history == "off":
            return f"The history of {channel.strip()} is not available at present."
        found = [
            (ident, one)
            for ident, one in self.posts.items()
            if one.channel == channel.strip() and self._is_shown(ident, one)
        ]
        found.sort(key=lambda item: item[1].at)
        upto = f", up to date within {self.lag_minutes} minutes" if self.history == "lagging" else ""
        lines = [line for ident, one in found[-limit:] for line in _lines(ident, one)]
        return "\n".join([f"{len(found)} messages in {channel.strip()}{upto}", *lines])

    @tool()
    def post_message(
        self,
        channel: ChannelName,
        text: Body,
        files: Annotated[list[str], Field(description="names of notes that go with it")] = [],  # noqa: B006 - read as a declaration, copied by the check
    ) -> str:
        """Posts a message to everybody in a channel, at once."""
        self._channel(channel)
        return (
            f"Posted as {self._add(Post(channel.strip(), self.me, text, self.now, files=files))} in {channel.strip()}."
        )

    @tool()
    def reply_message(self, message: MessageId, text: Body) -> str:
        """Answers a message in its thread."""
        one = self._post(message)
        answer = Post(one.channel, self.me, text, self.now, to=message.strip())
        return f"Answered {message.strip()} as {self._add(answer)}."

    @tool()
    def edit_message(self, message: MessageId, text: Body) -> str:
        """Replaces the words of a message that the agent has posted itself; nobody is notified."""
        one = self._post(message)
        if one.author != self.me:
            raise Refused(f"{message.strip()} is by {one.author}, not by {self.me}")
        one.text = text
        one.marks = [*dict.fromkeys([*one.marks, "edited"])]
        return f"{message.strip()} reads now: {text}"

    @tool()
    def pin_message(self, message: MessageId) -> str:
        """Pins a message to the head of its channel."""
        one = self._post(message)
        one.marks = [*dict.fromkeys([*one.marks, "pinned"])]
        return f"{message.strip()} is pinned in {one.channel}."

    @tool(reads=True)
    def read_note(self, name: Annotated[str, Field(description="name of a note, such as N-0000")]) -> str:
        """Shows a note of the shared folder in full; numbered ones are N-0000, N-0001, …"""
        if name in self.documents:
            return self.documents[name]
        number = re.fullmatch(r"N-(\d{4,6})", name, re.ASCII)
        if number and f"N-{int(number[1]):04d}" == name:
            return prose.piece(self.seed, int(number[1])).text
        raise Refused(f"there is no note `{name}`; {nearest(name, self.documents)}")

    @tool(asks=True)
    def ask_owner(self, question: str) -> str:
        """Puts a question to the owner of the channels, who answers when there is time."""
        self.questions.append(question)
        return toolbox.PASSED_ON.format(person=self.owner)

    def _channel(self, name: str) -> Channel:
        if name.strip() not in self.channels:
            raise Refused(f"there is no channel `{name}`; {nearest(name, self.channels)}")
        return self.channels[name.strip()]

    def _post(self, ident: str) -> Post:
        known = [key for key, one in self.posts.items() if reached(one.at, self.now, self.zone)]
        if ident.strip() not in known:
            raise Refused(f"there is no message `{ident}`; {nearest(ident, known)}")
        return self.posts[ident.strip()]

    def _add(self, post: Post) -> str:
        ident = f"p-{sum(known.startswith('p-') for known in self.posts) + 1}"
        self.posts[ident] = post
        return ident

    def _is_shown(self, ident: str, one: Post) -> bool:
        lag = self.lag_minutes * 60 if self.history == "lagging" and ident.startswith("p-") else 0
        return reached(later(one.at, lag, self.zone) if lag else one.at, self.now, self.zone)


def _lines(ident: str, one: Post) -> list[str]:
    heads = [ident, shown(one.at), one.author, *(["answers " + one.to] if one.to else []), *one.marks]
    return [f"{' | '.join(heads)}: {one.text}" + (f" [{', '.join(one.files)}]" if one.files else "")]
