"""The words that prose.py draws from: statements of what was seen and counted, none of what anybody ought to do."""

from __future__ import annotations

from typing import NamedTuple


class Topic(NamedTuple):
    """A subject of the minutes with the sentences that can be said of it."""

    name: str
    sentences: tuple[str, ...]


NUMBERS: dict[str, tuple[int, int]] = {
    "n": (11, 960),
    "few": (2, 9),
    "percent": (3, 97),
    "minutes": (2, 58),
    "degrees": (14, 27),
    "pid": (1011, 9870),
    "ms": (4, 980),
    "rows": (120, 98_000),
    "tenth": (0, 9),
}

WORDS: dict[str, tuple[str, ...]] = {
    "person": tuple(
        f"{first} {last}"
        for first in ("Ada", "Bruno", "Chidi", "Dilek", "Elena", "Farid", "Greta", "Hiro", "Ines", "Jonas", "Kaja")
        for last in ("Abel", "Brandt", "Castillo", "Dorsey", "Eklund", "Fontaine", "Grigor", "Halloran", "Ito")
    ),
    "place": ("the north depot", "hall 3", "the Leith site", "the upper workshop", "the print room", "building C",
              "the harbour store", "the Graz branch", "the old tannery", "the loading bay", "the glasshouse"),
    "goods": ("paper rolls", "hinges", "seed trays", "copper clips", "picture frames", "tea tins", "cable drums",
              "floor tiles", "lamp shades", "glass jars", "felt pads", "bicycle bells", "candle moulds", "canvas bags"),
    "city": ("Bergen", "Coimbra", "Dundee", "Erfurt", "Galway", "Innsbruck", "Ljubljana", "Malmö", "Nantes", "Ostrava",
             "Padua", "Rouen", "Salzburg", "Tampere", "Utrecht", "Vigo"),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    "dish": ("lentil soup", "leek tart", "fish pie", "beetroot salad", "mushroom rice", "potato dumplings", "bean stew",
             "pumpkin curry", "noodle bake", "barley broth"),
    "colour": ("pale green", "slate grey", "ochre", "dark blue", "brick red", "cream", "silver", "plum"),
    "service": ("indexer", "thumbnailer", "mapcache", "feedreader", "resampler", "geocoder", "timetabler", "tilestore"),
    "host": ("alder-01", "birch-04", "cedar-02", "elm-07", "hazel-03", "larch-05", "maple-06", "rowan-08"),
    "code": tuple(f"{letter}{digits}" for letter in "BCFGHKLQRTVWXZ" for digits in range(103, 998, 7)),
    "shelf": tuple(f"{row}{slot:02d}" for row in "abcdefgh" for slot in range(1, 25)),
    "clock": tuple(f"{hour:02d}:{minute:02d}" for hour in range(7, 19) for minute in range(0, 60, 5)),
    "event": (
        "read batch {code} of {rows} rows in {ms} ms",
        "cache at {percent} percent, {n} entries, oldest {minutes} minutes",
        "tile {code} drawn in {ms} ms after {few} passes",
        "worker {few} took {n} items from queue {code}",
        "round trip to {host} {ms} ms, window {n}",
        "snapshot {code} wrote {rows} rows, {percent} percent repeated",
        "picture {code} scaled to {n} by {n} in {ms} ms",
        "lookup {city} answered with {few} places in {ms} ms",
        "heap {n} MB, {few} collections, longest {ms} ms",
        "timetable {city}-{city} refreshed, {n} departures",
        "feed {code} brought {n} entries, {few} of them new",
        "session {code} closed after {minutes} minutes and {n} reads",
    ),
}  # fmt: skip

TOPICS: tuple[Topic, ...] = (
    Topic("deliveries", (
        "{person} counted {n} {goods} at {place} on {weekday} at {clock}.",
        "The lorry from {city} brought {few} pallets of {goods} and {n} loose pieces.",
        "Lot {code} weighed {n} kilograms, {few} kilograms more than the slip of the carrier says.",
        "Of the {n} {goods} in lot {code}, {few} had scratched corners.",
        "Unloading at {place} took {minutes} minutes with {few} people.",
        "The next lorry left {city} on {weekday} at {clock} with {n} {goods}.",
        "{person} put the {goods} of lot {code} on shelf {shelf}.",
        "The label printer at {place} used up {n} labels between {clock} and the evening.",
    )),
    Topic("rooms and heating", (
        "It was {degrees} degrees in {place} at {clock} and {degrees}.{tenth} degrees an hour later.",
        "{person} measured {percent} percent humidity in {place} on {weekday}.",
        "The walls of {place} were painted {colour} with {n} litres of paint.",
        "The fan in {place} ran for {minutes} minutes, {few} times on {weekday}.",
        "Meter {code} stood at {rows} when {person} read it at {clock}.",
        "The new lamps in {place} draw {n} watts, the old ones drew {n} watts more.",
        "{person} found window {code} ajar at {clock} and noted {degrees} degrees beside it.",
        "A carpenter from {city} planed {few} doors in {place} on {weekday}.",
    )),
    Topic("the trip", (
        "The {clock} train from {city} reached {city} {minutes} minutes later than printed.",
        "{person} and {person} shared a compartment from {city} to {city}.",
        "The hotel in {city} had {n} rooms, {few} of them facing the river.",
        "Breakfast in {city} was {dish} at a table for {few}.",
        "{person} walked {few}.{tenth} kilometres from the station to {place}.",
        "The tram ticket in {city} cost {few}.{tenth}0 and was valid for {minutes} minutes.",
        "On {weekday} it rained in {city} for {few} hours, {n} millimetres by the station's gauge.",
        "The slides of {person} had {n} pictures, {few} of them from {city}.",
    )),
    Topic("readings", (
        "Sensor {code} averaged {n}.{tenth} over {rows} samples, with a spread of {few}.{tenth}.",
        "The curve of sensor {code} rose by {percent} percent between {clock} and the evening of {weekday}.",
        "{person} swapped the cable of sensor {code} at {clock}, and the noise fell to {few}.{tenth}.",
        "Probe {code} at {place} logged {rows} values, {few} of them blank.",
        "The median at {place} was {n}, the mean {n}.{tenth}.",
        "Series {code} covers {few} weeks at {minutes}-minute spacing.",
        "The chart for {city} shows two humps, one near {clock} and a flatter one {few} hours on.",
        "{person} compared {n} readings with those from {city} and saw a shift of {few} percent.",
    )),
    Topic("the workshop", (
        "{n} people came to the talk of {person} in {city}, {percent} percent of them for the first time.",
        "{person} showed how {goods} are made, in {few} steps and {minutes} minutes.",
        "Group {few} drew {n} sketches and pinned {few} of them to the {colour} wall.",
        "The afternoon began at {clock} with a round of names that took {minutes} minutes.",
        "On the sheets {percent} percent ticked \"useful\" and {few} people wrote a longer remark.",
        "{person} brought {few} boxes of {goods} for the exercise, {n} pieces in all.",
        "The projector in {place} showed a {colour} tint, which {person} traced to lamp {code}.",
        "The photographs of {weekday} are in folder {code}, {n} of them.",
    )),
    Topic("the canteen", (
        "On {weekday} {n} plates of {dish} and {n} plates of {dish} were served.",
        "{person} tried the {dish} with {few} grams of pepper and noted the taste on card {code}.",
        "The queue at {clock} was {n} people long and {minutes} minutes deep.",
        "{percent} percent of the guests took {dish}, a little more than on {weekday}.",
        "The oven reached {n} degrees after {minutes} minutes, by the clock of {person}.",
        "{few} crates from {city} held {n} kilograms of vegetables.",
        "The menu card was printed in {colour} on {n} sheets.",
        "The dishwasher ran {few} times and used {n} litres on {weekday}.",
    )),
    Topic("print and paper", (
        "The run of {n} leaflets came out at {few}.{tenth} grams apiece.",
        "{person} chose {colour} for the cover of issue {code}.",
        "Sheet {code} was cut to {n} by {n} millimetres at {place}.",
        "The proof from {city} had {few} smudges on page {n}.",
        "Press {few} ran for {minutes} minutes and printed {rows} sheets.",
        "{person} sorted {n} posters by size and laid them on shelf {shelf}.",
        "The typeface on card {code} is {few} points larger than last year's.",
        "The ink drum at {place} was {percent} percent full at {clock}.",
    )),
    Topic("visitors", (
        "{person} from {city} looked at {n} {goods} and took {few} home.",
        "The door counter at {place} showed {n} people by {clock}, {percent} percent of them in the morning.",
        "A school class from {city} with {n} children stayed for {minutes} minutes.",
        "{person} led the tour and spoke for {minutes} minutes about {goods}.",
        "The guest book has {few} new entries, the longest by {person}.",
        "Visitors from {city} asked {few} times where the {colour} model was made.",
        "The coat racks in {place} held {n} coats on {weekday}.",
        "The {clock} group from {city} numbered {n}, split into {few} parties.",
    )),
    Topic("the garden", (
        "{person} planted {n} bulbs along the {colour} wall on {weekday}.",
        "The rain barrel beside {place} held {n} litres at {clock}.",
        "{few} of the {n} seedlings in tray {code} had a second pair of leaves.",
        "The apple tree near {place} gave {n} apples, {percent} percent of last year's number.",
        "{person} saw {few} kinds of bees between {clock} and noon.",
        "Bed {shelf} is {few}.{tenth} metres long and holds {n} plants.",
        "The soil probe {code} read {percent} percent moisture after {minutes} minutes of rain.",
        "The hedge at {place} was {few}.{tenth} metres tall when {person} measured it.",
    )),
    Topic("the catalogue", (
        "{person} described {n} objects, {few} of them with a drawing.",
        "Entry {code} names {city} as the place where the {goods} were made.",
        "The {colour} binder at {place} holds {n} index cards.",
        "{percent} percent of the cards in drawer {shelf} carry a date.",
        "{person} found {few} cards of {city} under the letter of another town.",
        "The scans of drawer {shelf} take {n} megabytes, about {few} a card.",
        "Number {code} turned up twice, once for {goods} and once for {goods}.",
        "The oldest card in the {colour} binder is {n} months older than the second oldest.",
    )),
)  # fmt: skip

DOMAINS: tuple[str, ...] = ("northdepot.example", "printroom.example", "gardenclub.example", "readings.example")

ASKS: tuple[str, ...] = (
    "Could you look at {what} and tell me in one line what is in it?",
    "What is in {what}? One line is plenty.",
    "Next one: {what}. Give me the short version.",
    "Have a look at {what} for me, in a sentence.",
    "And {what}, what does it say?",
    "Sum up {what} in a line.",
    "I have yet to read {what}; what is it about?",
    "Open {what} and tell me the gist.",
)
