"""German. `nicht` and `kein` forbid wherever nothing says that they tell of what happened."""

import re

_RULE = (
    r"(?:regel(?:n|ung|ungen)?|(?:ein|be)schränkung(?:en)?|verbote?s?|vorgaben?|richtlinien?|sperren?|auflagen?"
    r"|beschränkungen)"
)
_SOME = r"(?:[^ ]{1,40} )"
_BARRED = (
    r"(?:gesperrt|verboten|untersagt|schreibgeschützt|gültig|tabu|nötig|erforderlich|notwendig|in kraft|geschützt"
    r"|eingefroren|vertraulich|verpflichtend|vorgeschrieben|nur lesbar)"
)

GERMAN: dict[str, tuple[str, ...]] = {
    "NARRATED": (
        rf"(?:wurden?|hat|habe|haben|hatten?|war|waren|konnten?|kam|kamen|lief|ging) {_SOME}{{0,6}}?"
        r"(?:nicht|nichts|nie|niemals|niemand|kein(?:e|en|er|es|em)?)",
        rf"(?:ist|sind|bleibt|bleiben) {_SOME}{{0,3}}?(?:noch nicht|nicht (?:betroffen|fertig|erledigt|dringend"
        rf"|erreichbar))",
        rf"es (?:gibt|gab) {_SOME}{{0,4}}?(?:kein(?:e|en|er)?|nichts)",
        r"kein(?:e|en)? (?:probleme?|fehler|antwort|rückmeldung|änderung(?:en)?|auffälligkeiten|einwände|frage"
        r"|fragen)",
        r"nichts (?:neues|offen|zu tun)",
        r"nur (?:noch )?(?:\d+|eine?n?|zwei|drei|vier|wenige|einige) (?!mit)",
    ),
    "PROHIBITING": (
        r"nie|niemals|nimmer|nicht(?! (?:nur|vergessen|mehr (?:nötig|gültig)))",
        r"nichts|niemand(?:en|em)?|kein(?:e|en|er|es|em)?|keinesfalls|keineswegs",
        r"verboten|verbote?|untersagt|unzulässig|unerlaubt|tabu|schreibgeschützt|nur lesend|nur lesbar|nur zum lesen",
        r"unterlassen|gesperrt für|verbiete[tn]?|untersag(?:t|en)",
    ),
    "NONE_AT_ALL": (),
    "REQUIRING": (
        r"nur(?! (?:noch )?(?:\d|eine?n? ))|ausschließlich|lediglich|erforderlich|zwingend|verpflichtend"
        r"|unbedingt|erst nach",
    ),
    "NEEDING": (r"braucht|brauchen|benötigt|benötigen|nötig|notwendig|bedarf|bedürfen|erfordert|erfordern",),
    "GATED": (r"abhängig von|vorbehaltlich|hängt (?:[^ ]{1,40} ){0,3}ab",),
    "CONDITIONAL": (r"ohne|bevor|bis|außer|nur|erst|vorher|zuvor|sofern nicht|es sei denn",),
    "CONDITIONED": (
        r"bevor|vorher|zuvor|zuerst|erst|bis|ohne|jede[rnsm]?|alle|immer|freigaben?|freigegeben|genehmigung(?:en)?"
        r"|genehmigt|zustimmung|zugestimmt|unterschrift|prüfung|geprüft|rücksprache",
    ),
    "OBLIGING": (r"muss|müssen|musst|immer|stets|soll|sollen|ist zu|sind zu|hat zu|haben zu|sicherstellen",),
    "CAUTIOUS": (
        r"vorsicht|vorsichtig(?:e[rnsm]?|er)?|behutsam|sorgfältig|sorgsam|achtsam|umsichtig|umsicht|lieber|bevorzugt"
        r"|vorzugsweise|möglichst|tunlichst|vermeide[nt]?|vermieden|sensibel|sensible[rnsm]?|heikel|besser nicht"
        r"|zurückhaltend|zurückhaltung|mit bedacht|rücksicht|aufpassen|im zweifel",
    ),
    "WEAK": (
        r"(?:wenn|falls|sofern|soweit|wo) (?:irgend )?möglich|nach möglichkeit|sollten?|solltest|empfohlen|empfiehlt"
        r"|empfehlung|ratsam|versuch(?:e|en|t)?|am besten|wünschenswert|ungern|nur ungern",
    ),
    "DAMPENING": (r"in der regel|normalerweise|meist|meistens|üblicherweise|eher|grundsätzlich|generell|eigentlich",),
    "STILL_STANDING": (
        rf"(?:nicht|nie|bis|solange|sofern|bevor|falls|wenn|noch nicht) {_SOME}{{0,4}}"
        r"(?:aufgehoben|aufhebt|zurückgenommen|gelockert|widerrufen|widerruft)",
    ),
    "RESCINDING": (
        rf"(?:nicht|kein(?:e|en)?) (?:mehr|länger) (?:[^ ]{{1,40}} ){{0,1}}{_BARRED}",
        r"(?<!darf )(?<!dürfen )(?<!soll )(?<!sollen )nicht (?:mehr|länger)(?= ?(?:\Z|[,.;:)]))",
        rf"(?:gilt|gelten|galt|besteht|bestehen) {_SOME}{{0,4}}?nicht(?: mehr| länger)?(?! (?:nur|für))",
        rf"(?:muss|müssen|musst|braucht|brauchen) {_SOME}{{0,4}}?(?:nicht|kein(?:e|en)?)(?: mehr)?",
        rf"(?:ist|sind|war|waren) {_SOME}{{0,2}}?(?:nicht|kein(?:e|en)?) {_BARRED}",
        r"aufgehoben|hinfällig|außer kraft|zurückgenommen|zurückgezogen|widerrufen|gelockert|obsolet|entfällt"
        r"|entfallen",
        rf"(?:früher|ehemals|zuvor|damals|bisher) {_BARRED}",
        rf"{_RULE} (?:[^ ]{{1,40}} ){{0,3}}(?:beendet|abgelaufen|erloschen|gestrichen|überholt)",
    ),
    "BARRED": (_RULE, _BARRED),
    "UNNEEDED": (
        rf"(?:nicht|kein(?:e|en|er)?|keiner) {_SOME}{{0,3}}?(?:nötig|erforderlich|notwendig|verpflichtend|mehr)",
        rf"(?:braucht|brauchen|benötigt|benötigen|erfordert|muss|müssen) {_SOME}{{0,4}}?(?:nicht|kein(?:e|en)?"
        rf"|keiner)",
    ),
    "ALL_RULES": (
        rf"(?:alle|sämtliche|die|jegliche) (?:bisherigen |früheren |vorherigen |obigen )?{_RULE}",
        rf"(?:bisherige|frühere|vorherige|obige)n? {_RULE}",
    ),
    "PERMITTING": (
        rf"(?:darf|dürfen|darfst|kann|können|kannst) {_SOME}{{0,4}}?(?:jetzt|nun|wieder|ab sofort|frei|ruhig"
        rf"|gern|gerne)",
        r"(?:jetzt|nun|wieder|ab sofort) (?:darf|dürfen|darfst|kann|können) ",
        rf"(?:ist|sind|wieder|jetzt|nun|sofort) {_SOME}{{0,4}}?(?:erlaubt|gestattet|zulässig|möglich|freigegeben)",
        r"in ordnung|nur zu|steht nichts im wege",
    ),
    "NARROWING": (
        r"heute|vorerst|vorläufig|vorübergehend|diese woche|diesmal|dieses mal|bis auf weiteres|im moment"
        r"|einstweilen",
        r"bis (?:morgen|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|ende|nächste[rnsm]?|zum|\d)",
        r"für (?:diese|diesen|dieses) (?:aufgabe|anfrage|sitzung|ticket|rechnung|nachricht|lauf|datei|vorgang|fall)",
        r"in diesem fall",
    ),
    "NO_RULE": (r"(?:validierungs|firewall|geschäfts|routing|aufbewahrungs|rabatt|filter|alarm)regeln?",),
    "MENTIONING": (rf"{_RULE}", r"vorbehalte?|grenzen|schutzvorkehrung(?:en)?"),
    "NOT_MENTIONING": (rf"(?:kein(?:e|en|er)?|ohne|in der|als) (?:[^ ]{{1,40}} )?{_RULE}",),
    "SOME_RULE": (
        rf"es (?:gibt|gab|galt|gelten|galten) (?:(?:noch|auch|dazu|hier) )?(?:eine?n?|einige|bestimmte|gewisse"
        rf"|mehrere) {_RULE}",
        rf"(?:einige|bestimmte|gewisse|mehrere) {_RULE} (?:gelten|galten|gilt|galt|bestehen)",
        rf"(?:einige|bestimmte|gewisse|mehrere) {_RULE} (?:wurden|sind) (?:[^ ]{{1,40}} ){{0,2}}(?:genannt"
        rf"|erwähnt|vereinbart)",
    ),
    "RULE_ABOUT": (
        rf"{_RULE} (?:[^ ]{{1,40}} ){{0,2}}?(?:zu|zur|zum|über|für|bezüglich|hinsichtlich|betreffend|bei|beim)",
    ),
    "IDIOMS": (
        r"(?:nicht|nie) (?:vergessen|verlieren|weglassen|ändern)",
        r"(?:erforderliche|notwendige|nötige) (?:schritte|maßnahmen|aktionen|arbeiten)",
        r"(?:muss|müssen) (?:[^ ]{1,40} ){0,3}(?:erhalten bleiben|behalten werden|übernommen werden)",
    ),
    "REFERS_BACK": (
        r"dort|dorthin|darauf|daran|darin|dazu|dafür|damit|davon|hierfür|ihn|ihm|ihr",
        r"(?:diese|dieser|diesem|diesen|dieses|besagte[rnsm]?) [^ ]{3,40}",
    ),
    "OUTSIDE": (
        r"außerhalb(?: von)?|außer(?: an| in| bei| mit| von)?|jenseits(?: von)?|nicht (?:in|an|bei|von|unter)",
    ),
    "ELSEWHERE": (
        r"außerhalb|extern(?:e|en|er|es|em)?|andere[rnsm]?|anderswo|dritten?|nur|innerhalb|intern(?:e|en|er|es|em)?"
        r"|sonst|ausschließlich|nirgendwo|außer|außenstehende[rn]?|fremde[rn]?",
    ),
    "EXCEPTING": (r"(?:einzige |die einzige |mit )?ausnahme[n]?|außer|ausgenommen|es sei denn|nur",),
    "EVEN": (r"auch|selbst|sogar|einschließlich|inklusive",),
    "IF": (r"wenn|falls|sofern|solange|während",),
    "POINTS_BACK": (rf"(?:das|dies|sie)|(?:diese|die|dieses|das) (?:[^ ]{{1,40}} )?{_RULE}",),
    "TAKES_BACK": (
        rf"(?:diese|die|dieses|das) (?:[^ ]{{1,40}} )?{_RULE}",
        r"(?:das|dies|sie|es) (?:[^ ]{1,40} ){0,3}(?:gilt|gelten|galt|aufgehoben|entfällt|widerrufen|hinfällig)",
    ),
    "DEONTIC": (
        r"(?:nie|niemals|nicht|nichts|kein(?:e|en|er)?|nur|immer|stets|muss|darf|keinesfalls|niemand|vermeide[nt]?)",
    ),
    "BUT": (r"(?:aber|jedoch|doch|allerdings|hingegen|sondern)",),
    "REFUSAL": (
        r"(?:kann|darf|werde|möchte) (?:[^ ]{1,40} ){0,6}?nicht|leider nicht|nicht (?:erlaubt|gestattet|zulässig)"
        r"|lehne (?:[^ ]{1,40} ){0,4}?ab|verboten|untersagt|tut mir leid",
    ),
    "LAYS_DOWN": (
        r"(?:niemals|unter keinen umständen|auf keinen fall|keinesfalls)",
        rf"(?:darf|dürfen|darfst) {_SOME}{{0,6}}?(?:nicht|nie|niemals|kein(?:e|en|er)?|nichts)",
        rf"(?:ist|sind) {_SOME}{{0,3}}?(?:verboten|untersagt|tabu|nicht erlaubt|nicht gestattet|unzulässig)",
    ),
    "WAITING": (r"warte[nt]?|wartet auf|blockiert|ausstehend|offen|bis|noch nicht|zurückgestellt",),
    # the states of a piece of work
    "STATE_BLOCKED": (
        r"blockiert|gesperrt|wartet|warten|wartend|zurückgestellt|pausiert|angehalten|in der schwebe|auf eis",
    ),
    "STATE_GATED": (
        r"(?:bis|sobald|erst (?:wenn|nach)|nicht (?:bevor|ohne)) (?:[^ ]{1,40} ){0,6}?"
        r"(?:freig|genehmig|bestätig|zustimm|zugestimm|antwort|prüf|geprüft|unterschr)\w*",
    ),
    "STATE_ABANDONED": (
        r"abgebrochen|storniert|verworfen|hinfällig|zurückgezogen|eingestellt|abgesagt"
        r"|(?:nicht|kein\w*) (?:[^ ]{1,40} )?mehr (?:nötig|erforderlich|gewünscht|gebraucht)",
    ),
    "STATE_UNDONE": (
        r"(?:nicht|nie|noch) (?:[^ ]{1,40} )?(?:zu )?(?:erledigt|bezahlt|zahlen|gesendet|senden|verschickt|verschicken"
        r"|überwiesen|überweisen|abgeschlossen|fertig|erstattet|erstatten|erledigen)"
        r"|(?:wird|werden|muss|müssen|soll|sollen) (?:[^ ]{1,40} ){0,4}(?:erledigt|bezahlt|gesendet|verschickt"
        r"|überwiesen|erstattet)|unbezahlt|unerledigt",
    ),
    "STATE_DONE": (
        r"erledigt|bezahlt|gesendet|verschickt|überwiesen|abgeschlossen|fertig|erstattet|beglichen|archiviert",
    ),
    "STATE_PENDING": (r"offen(?:e[nrsm]?)?|ausstehend(?:e[nrsm]?)?|steht noch aus|als nächstes|in arbeit|zu tun",),
    "STATE_CONDITION": (r"bis|sobald|wenn|falls|nachdem|bevor|ehe|weil|seit|erst nach",),
    "STATE_LIFTED": (r"nicht (?:mehr|länger) (?:blockiert|gesperrt|zurückgestellt|angehalten)|entsperrt",),
    "STATE_FOLLOWS": (r"er|sie|es|dies(?:e[rs]?)?|das|beide|noch|status",),
}

FUNCTION_WORDS = """
der die das den dem des ein eine einen einem einer eines und oder von vom zu zum zur im in an am auf für mit ohne bei
aus nach über unter vor als wie dass wenn falls ob ist sind war waren wird werden wurde hat haben sein es er sie wir ihr
ich du man sich nicht nie niemals kein keine keinen nur immer auch noch schon bitte darf dürfen muss müssen soll sollen
kann können regel regeln benutzer nutzer agent assistent hinweis wichtig jemals keinesfalls umständen
"""

_PREFIX = (
    "zurück|weiter|zusammen|herunter|herauf|hinzu|vorbei|ab|an|auf|aus|bei|ein|fest|frei|fort|her|hin|los|mit|nach|um|vor"
    "|weg|zu"
)
_VERB = re.compile(rf"(?:({_PREFIX}))?([a-zäöüß]{{3,}}?)(en|ern|eln)")
_FORMS = r"(?:en|e|t|te|ten|et|est|st|ete|eten|end\w{0,2}|ung|ungen|n|ern|ere|ert|erte|erten|eln|le|elt|elte|elten)"
_STRONG = {
    "schreib": "schrieb|schrieben",
    "send": "sandt|sandte|sendet",
    "geb": "gib|gibt|gab",
    "nehm": "nimm|nimmt|nahm|nomm|nommen",
    "les": "lies|liest|las",
    "weis": "wies|wiesen",
    "treff": "triff|trifft|traf|troffen",
    "greif": "griff|griffen",
    "schließ": "schloss|schlossen",
    "fahr": "fährt|fuhr",
    "lad": "lädt|lud",
    "lass": "lässt|ließ",
    "geh": "ging|gang|gangen",
    "sprech": "sprich|spricht|sprach|sprochen",
    "halt": "hält|hielt",
    "werf": "wirf|wirft|warf|worfen",
    "bring": "bracht|brachte",
    "zieh": "zog|zogen",
    "werb": "wirb|wirbt|warb|worben",
}


def inflected(word: str) -> str:
    """A regular expression for a German word in lower case: of a verb its tenses, also apart (`spielt … ein`), of any
    other word its cases and plurals."""
    found = _VERB.fullmatch(word)
    if not found or len(word) < 5:
        return re.escape(word) + r"(?:e|en|n|s|es|er|ern|em|nen|innen)?"
    prefix, stem = found[1] or "", found[2]
    strong = f"|{_STRONG[stem]}" if stem in _STRONG else ""
    root = f"(?:{stem}{_FORMS}?{strong})" if strong else f"{stem}{_FORMS}"
    whole = f"{prefix}(?:ge|zu|)(?:{root})(?:e[nmrs]?)?"
    apart = rf"|(?:{root}) (?:[^ ,;:]{{1,60}} ){{0,8}}?{prefix}(?![^\W_])" if prefix else ""
    return f"(?:{whole}{apart})"
