"""Spanish. `no` forbids before an infinitive, an imperative or a modal, and tells before a past tense."""

import re

_RULE = (
    r"(?:reglas?|restricci(?:ón|on|ones)|normas|(?:la|una|esta|esa) norma|prohibici(?:ón|on|ones)|políticas?"
    r"|limitaci(?:ón|on|ones)"
    r"|directri(?:z|ces)|vetos?)"
)
_SOME = r"(?:[^ ]{1,40} )"
# English has a `no` too: `no changes`, `no user`
_GOES_ON = (
    r"(?= (?:el|la|los|las|un|una|en|al|de|del|con|por|para|nada|nunca|ningún|ninguna|nadie|se|su|sus|desde"
    r"|hasta|sin|si"
    r"|ni|sobre|est[ea]|ese|esa|directamente)(?![^\W_]))"
)
_BARRED = (
    r"(?:prohibid[oa]s?|vetad[oa]s?|restringid[oa]s?|bloquead[oa]s?|de (?:solo|sólo) lectura|obligatori[oa]s?"
    r"|necesari[oa]s?|requerid[oa]s?|vigentes?|congelad[oa]s?|protegid[oa]s?|confidencial(?:es)?)"
)

SPANISH: dict[str, tuple[str, ...]] = {
    "NARRATED": (
        r"(?:no|nunca|nadie|ningún|ninguna|nada)(?: (?:se|lo|la|los|las|le|les|nos|me|te)){0,2} "
        r"(?:ha|han|he|hemos|había|habían|hubo|fue|fueron|era|eran|estaba|estaban|pudo|pudieron"
        r"|[a-zñáéíóú]{2,20}(?:ó|aron|ieron|aba|aban|ía|ían|é|í|imos|amos))",
        r"no (?:es|son|está|están|hay|queda|quedan|tiene|tienen|existe|existen|quiere|sabe|parece|consta)"
        r"(?! (?:permitid|autorizad|admisible|posible|lícit|aceptable))",
        r"sin (?:cambios|problemas|errores|incidencias|novedad|respuesta)",
        r"(?:solo|sólo) (?:\d+|un|una|dos|tres|cuatro|unos|unas)",
    ),
    "PROHIBITING": (
        r"nunca|jamás|nadie|en ningún caso|bajo ningún concepto|bajo ninguna circunstancia|de ninguna manera",
        r"no(?: se| lo| la)? (?:debe|deben|debes|puede|pueden|puedes|podrá|podrán|deberá|deberán|permite"
        r"|permiten|admite)",
        r"no (?:se )?(?:está|están|queda|quedan) (?:permitid|autorizad)[oa]s?",
        rf"no [a-zñáéíóú]{{2,20}}(?:ar|er|ir){_GOES_ON}",
        r"no [a-zñáéíóú]{2,20}(?:ar|er|ir)(?:l[oae]s?|se)",
        rf"no (?:(?:lo|la|los|las|le|les|se|te) )?[a-zñáéíóú]{{2,20}}(?:es|as|en|an|e|emos|amos){_GOES_ON}",
        r"prohibid[oa]s?|prohíbe[n]?|prohibe[n]?|prohibici(?:ón|ones)|vetad[oa]s?|intocables?|ningún|ninguna?"
        r"|nada de",
        r"(?:solo|sólo) lectura|inadmisible|no autorizad[oa]s?",
    ),
    "REQUIRING": (
        r"únicamente|exclusivamente|sólo(?! \d)",
        r"solo (?:se|con|puede|pueden|el|la|los|las|para|en|a|tras|después|si|cuando|por|desde|hasta|él|ella)",
        r"obligatori[oa]s?|requiere[n]?|exige[n]?|imprescindibles?",
    ),
    "NEEDING": (r"necesita[n]?|hace falta|precisa[n]?|es necesari[oa]|son necesari[oa]s",),
    "GATED": (r"sujet[oa]s? a|condicionad[oa]s? a|depende[n]? de",),
    "CONDITIONAL": (r"sin|hasta|antes de|salvo|excepto|solo|sólo|primero|a menos que",),
    "CONDITIONED": (
        r"antes|previ[oa]s?|previamente|primero|hasta|sin|cada|tod[oa]s?|siempre|aprobaci(?:ón|ones)|aprobad[oa]s?"
        r"|autorizaci(?:ón|ones)|autorizad[oa]s?|permiso|visto bueno|firma|firmad[oa]s?|revisi(?:ón|ones)"
        r"|revisad[oa]s?",
    ),
    "OBLIGING": (r"debe[ns]?|deberá[n]?|tiene[ns]? que|hay que|siempre|ha de|han de|asegúra(?:te|se)",),
    "CAUTIOUS": (
        r"cuidado|cuidados[oa]s?|cuidadosamente|cautela|cautel[oa]s[oa]s?|precauci(?:ón|ones)|prudencia|prudentes?"
        r"|preferible(?:mente)?|de preferencia|mejor no|evit(?:ar|a|e|en|an|ando|emos)|delicad[oa]s?|sensibles"
        r"|con tacto|tacto|moderaci(?:ón|ones)|atenci(?:ón|ones) especial",
    ),
    "WEAK": (
        r"(?:si|cuando|siempre que|en la medida de|en|a ser) (?:es |sea |fuera |lo )?posible|debería[ns]?"
        r"|recomienda[n]?"
        r"|recomendable|recomendad[oa]s?|conviene|convendría|aconseja(?:ble)?|intenta[r]?|procura[r]?|a poder ser",
    ),
    "DAMPENING": (r"generalmente|normalmente|en general|por lo general|habitualmente|en principio|más bien",),
    "STILL_STANDING": (
        rf"(?:no|nunca|hasta|mientras|salvo|si|cuando|antes de) {_SOME}{{0,4}}"
        r"(?:levant|revoc|derog|anul|retir|suspend)[a-zñáéíóú]{1,6}",
    ),
    "RESCINDING": (
        r"ya no(?: (?:lo|la|se|le))? (?:es|son|está|están|rige|rigen|aplica|aplican|hay|existe|existen|vale"
        r"|valen|sigue"
        r"|requiere|requieren|exige|hace falta|necesita|pide|hace)",
        rf"ya no {_BARRED}",
        r"levantad[oa]s?|revocad[oa]s?|derogad[oa]s?|sin efecto|dej(?:ó|aron) de|se (?:levant|revoc|derog|anul"
        r"|retir)(?:ó|aron)",
        rf"{_RULE} (?:[^ ]{{1,40}} ){{0,3}}(?:anulad|retirad|suspendid|eliminad|cancelad)[oa]s?",
        r"no (?:hace falta|hacía falta|es necesari[oa]|es obligatori[oa]|se aplica|aplica|rige|se requiere"
        r"|tiene[ns]? que)",
        r"no (?:es|son|está|están) (?:prohibid|vetad|bloquead|restringid)[oa]s?",
        rf"(?:antes|previamente|anteriormente) (?:estaba[n]? |era[n]? )?{_BARRED}",
        rf"estaba[n]? {_BARRED} (?:antes|hasta)",
    ),
    "BARRED": (_RULE, _BARRED),
    "UNNEEDED": (
        r"(?:ya )?no (?:se )?(?:hace falta|requiere[n]?|necesita[n]?|exige[n]?|precisa[n]?)",
        r"(?:ya )?no (?:es|son|será) (?:necesari|obligatori)[oa]s?",
    ),
    "ALL_RULES": (
        rf"(?:tod[oa]s|cualquier) (?:l[oa]s )?(?:[^ ]{{1,40}} )?{_RULE}",
        rf"l[oa]s (?:anteriores |previas )?{_RULE} (?:anteriores|previas|vigentes)",
        rf"l[oa]s (?:anteriores|previas) {_RULE}",
    ),
    "PERMITTING": (
        r"ahora (?:sí |ya )?(?:se )?puede[ns]?|ya (?:sí )?(?:se )?puede[ns]?|puede[ns]? (?:ahora|ya|libremente)",
        r"(?<!no )(?:está|están|queda|quedan|ya|ahora) (?:ahora |ya )?(?:permitid|autorizad|habilitad)[oa]s?",
        r"tiene[ns]? permiso|(?<!no )se permite[n]?|adelante con|sin restricciones",
    ),
    "NARROWING": (
        r"por ahora|hoy|por hoy|de momento|por el momento|temporalmente|provisionalmente|esta semana|esta vez",
        r"hasta (?:mañana|nuevo aviso|el (?:lunes|martes|miércoles|jueves|viernes|sábado|domingo|\d)|fin"
        r"|que acabe|\d)",
        r"(?:para|en) (?:esta|este) (?:tarea|petición|sesión|ticket|factura|mensaje|archivo|caso|ejecución)",
    ),
    "NO_RULE": (r"reglas? de (?:validación|negocio|firewall|enrutamiento|retención|alerta|descuento)",),
    "MENTIONING": (rf"{_RULE}", r"salvaguardas?|límites"),
    "NOT_MENTIONING": (rf"(?:ningun[oa]?|ningún|sin|no hay|no existen?|como) (?:[^ ]{{1,40}} )?{_RULE}",),
    "SOME_RULE": (
        rf"(?:hay|había|existen?|existían?|hubo|se dieron|se mencionaron) "
        rf"(?:una|un|unas|unos|algunas|algunos|alguna|ciertas|ciertos|varias) {_RULE}",
        rf"(?:algunas|ciertas|varias) {_RULE} (?:se aplican|aplican|rigen|existen)",
    ),
    "RULE_ABOUT": (
        rf"{_RULE} (?:[^ ]{{1,40}} ){{0,2}}?(?:sobre|para|acerca de|respecto a|en cuanto a|relativas? a|en|con"
        rf"|contra|de|del)",
    ),
    "IDIOMS": (
        r"no (?:olvidar|olvides|perder|omitir|cambiar)",
        r"(?:acciones|pasos|medidas) (?:necesari[oa]s|requerid[oa]s|pendientes)",
        r"debe[n]? (?:conservarse|mantenerse|recordarse)",
    ),
    "REFERS_BACK": (
        r"ahí|allí|allá|ella|ello|él|l[oa]s? mism[oa]s?|dich[oa]s? [^ ]{3,40}",
        r"(?:ese|esa|esos|esas|este|esta|estos|estas) [^ ]{3,40}",
        r"[a-zñáéíóú]{3,20}(?:ar|er|ir)l[oae]s?",
    ),
    "OUTSIDE": (
        r"fuera de(?:l)?|ajen[oa]s? a(?:l)?|excepto(?: a| en)?|salvo(?: a| en)?|que no sea[n]?(?: de(?:l)?)?"
        r"|extern[oa]s? a(?:l)?",
    ),
    "ELSEWHERE": (
        r"fuera|extern[oa]s?|otr[oa]s?|terceros|terceras|solo|sólo|dentro|intern[oa]s?|únicamente|exclusivamente"
        r"|ajen[oa]s?"
        r"|excepto|salvo|limitad[oa]s?",
    ),
    "EXCEPTING": (r"(?:la única |con la |única )?excepci(?:ón|ones)|salvo|excepto|a menos que|solo|sólo|únicamente",),
    "EVEN": (r"incluso|incluid[oa]s?|aun|aunque|ni siquiera|ni",),
    "IF": (r"si|cuando|mientras|en caso de|siempre que",),
    "POINTS_BACK": (rf"(?:esto|eso|ésta)|(?:esta|la|esa|dicha|este|ese|el) (?:[^ ]{{1,40}} )?{_RULE}",),
    "TAKES_BACK": (
        rf"(?:esta|la|esa|dicha|este|ese) (?:[^ ]{{1,40}} )?{_RULE}",
        r"(?:esto|eso|ya) (?:[^ ]{1,40} ){0,3}(?:aplica|rige|levant[oó]|levantad[oa]|vigente|válid[oa])",
    ),
    "DEONTIC": (
        r"(?:nunca|jamás|solo|sólo|siempre|nadie|ningún|ninguna|evita[r]?|evite[n]?|hay que|bajo ning(?:ún|una))",
    ),
    "BUT": (r"(?:pero|sino|aunque|sin embargo,?)",),
    "REFUSAL": (
        r"no (?:(?:lo|la|le|me|te|se|os) )?(?:puedo|debo|podemos|debemos|es posible|está permitid[oa]|se puede)"
        r"|lo siento|me niego|prohibid[oa]s?|lamentablemente",
    ),
    "LAYS_DOWN": (
        r"(?:nunca|jamás|bajo ningún concepto|bajo ninguna circunstancia|en ningún caso)",
        r"no (?:se )?(?:debe|deben|debes|puede|pueden|podrá|deberá)",
        r"(?:está|están|queda|quedan) (?:[^ ]{1,40} ){0,2}?prohibid[oa]s?",
    ),
    "WAITING": (r"espera[n]?|esperando|a la espera|bloquead[oa]s?|pendientes?|hasta|todavía no|aún no|en pausa",),
    # the states of a piece of work
    "STATE_BLOCKED": (
        r"bloquead[oa]s?|(?:a la |en )espera(?: de)?|esperan?|esperando|en pausa|pausad[oa]s?|retenid[oa]s?"
        r"|aplazad[oa]s?",
    ),
    "STATE_GATED": (
        r"(?:hasta|en cuanto|tan pronto como|una vez|pendientes? de|no (?:[^ ]{1,40} ){1,6}sin) (?:[^ ]{1,40} ){0,6}?"
        r"(?:aprob|aprueb|confirm|autori|revis|firm|respon|respuesta)\w*",
    ),
    "STATE_ABANDONED": (
        r"cancelad[oa]s?|abandonad[oa]s?|retirad[oa]s?|descartad[oa]s?|anulad[oa]s?"
        r"|ya no (?:es |son |hace |se )?(?:necesari[oa]s?|falta|necesita[n]?)",
    ),
    "STATE_UNDONE": (
        r"(?:no|nunca|aún no|todavía no) (?:se )?(?:(?:ha|han|está|están|fue|fueron) )?(?:sido )?"
        r"(?:pagad|enviad|hech|complet|terminad|reembolsad)\w*"
        r"|(?:por|sin) (?:pagar|enviar|hacer|completar|terminar|reembolsar|empezar)"
        r"|(?:será|serán|hay que|debe[n]?) (?:ser )?(?:pag|envi|hacer|hech|complet|termin|reembols)\w*",
    ),
    "STATE_DONE": (
        r"hech[oa]s?|pagad[oa]s?|enviad[oa]s?|completad[oa]s?|terminad[oa]s?|finalizad[oa]s?|reembolsad[oa]s?"
        r"|resuelt[oa]s?|cerrad[oa]s?|archivad[oa]s?",
    ),
    "STATE_PENDING": (r"pendientes?|abiert[oa]s?|en curso|en proceso|sin empezar|a continuación|por hacer",),
    "STATE_CONDITION": (r"hasta|cuando|si|en cuanto|tan pronto como|una vez|después de|antes de|porque|desde",),
    "STATE_LIFTED": (r"ya no está[n]? (?:bloquead|en pausa|retenid|en espera)(?:[oa]s?)?|desbloquead[oa]s?",),
    "STATE_FOLLOWS": (r"est[eo]|est[oa]s|ést[eao]s?|amb[oa]s|está[n]?|sigue[n]?|estado",),
}

FUNCTION_WORDS = """
el la los las un una unos unas de del al a en por para con sin y o u que se su sus lo le les es son fue ser está están
este esta estos estas ese esa esto eso si cuando como más pero no nunca jamás ningún ninguna nadie nada solo sólo
siempre debe deben puede pueden regla reglas usuario agente asistente nota importante favor bajo concepto caso
circunstancia
"""

_VERB = re.compile(r"([a-zñáéíóú]{2,}?)(ar|er|ir|arse|erse|irse)")
_FORMS = (
    r"(?:a|as|an|amos|e|es|en|o|emos|é|ó|aste|aron|ieron|ió|í|aba|aban|ía|ían|ando|iendo|ar|er|ir|ará|arán|erá"
    r"|erán|irá|irán"
    r"|ad[oa]s?|id[oa]s?|ue|ues|uen|uemos|ué|ación|aciones|miento|amiento|an?do)(?:se|l[oae]s?|me|nos)?"
)
_FOLDED = str.maketrans("áéíóú", "aeiou")
_ACCENTED = {plain: f"[{plain}{accented}]" for plain, accented in zip("aeiou", "áéíóú", strict=True)}


def inflected(word: str) -> str:
    """A regular expression for a Spanish word in lower case, with any accents: of a verb its tenses, of any other word
    its genders and plurals."""
    found = _VERB.fullmatch(word)
    if found and len(word) > 4:
        stem = found[1]
        ends = {"c": f"(?:{_any(stem[:-1])}qu|{_any(stem)})", "z": f"(?:{_any(stem[:-1])}[cz])"}.get(
            stem[-1], _any(stem)
        )
        return f"{ends}{_FORMS}"
    if word.endswith(("ción", "cion")):
        return f"{_any(word[:-2])}(?:[oó]n|ones)"
    if word[-1] in "oa" and len(word) > 3:
        return f"{_any(word[:-1])}[oa]s?"
    return f"{_any(word)}(?:es|s)?"


def _any(word: str) -> str:
    return "".join(_ACCENTED.get(letter, re.escape(letter)) for letter in word.translate(_FOLDED))
