"""Names that stand in for those of a scenario under another seed. None is of a known person or company."""

from __future__ import annotations

_GIVEN = {
    "en": (
        "Abner Adela Aldous Alma Anselm Astrid Averil Barnaby Beatrix Bram Briony Cecily Clement Cora Cyril Dagny "
        "Delia Edda Edmund Elspeth Emeric Enid Esme Felix Fenella Finn Flora Gareth Greta Gwen Hester Hollis "
        "Idris Imogen Ivo Jarvis Jonas Juno Keir Lavinia Leopold Linnea Lorcan Lucia Magnus Marit Merle Milo "
        "Morwen Ned Nerys Olive Orson Petra Piers Quentin Ramona Rhys Rosalind Rufus Sabine Silas Solveig Tamsin "
        "Thea Tobias Ursula Viola Wilfred Zelda"
    ),
    "de": (
        "Adelheid Alwin Annegret Arndt Bärbel Benno Birte Burkhard Dörte Eckart Edeltraud Ewald Frauke Fritz "
        "Gerlinde Gernot Gesine Hartmut Hedwig Heike Henning Ilka Ingo Irmgard Jörg Jutta Karsten Katrin Kuno "
        "Liesel Lothar Marlene Meinhard Mechthild Norbert Oda Ortrud Ottmar Reinhild Rolf Roswitha Sieglinde "
        "Silke Sönke Swantje Traudel Uwe Veit Volker Waltraud Wiebke Wolfram"
    ),
    "es": (
        "Aitana Alonso Amparo Anselmo Azucena Baltasar Belén Candela Casimiro Celestino Chelo Delfina Eladio "
        "Elvira Encarna Eulalia Fermín Gaspar Genoveva Gonzalo Herminia Higinio Inmaculada Jacinto Jimena Lautaro "
        "Leandro Lorenzo Macarena Maite Martina Nemesio Nieves Octavio Olalla Pelayo Piedad Quique Ramiro Rocío "
        "Saturnino Socorro Tadeo Telmo Tomasa Úrsula Valentín Ximena Yago Zoraida"
    ),
    "zh": (
        "雅琴 志远 明辉 淑芬 建业 晓岚 德胜 玉珍 永康 春燕 国栋 秋月 海涛 文静 立群 佩玲 少华 思源 "
        "天佑 婉清 兴旺 雪梅 延庆 颖慧 振宇 芷若 子墨 宗翰 紫薇 佳怡"
    ),
    "ja": (
        "綾乃 和也 桃子 拓海 早苗 直樹 千尋 亮介 美咲 翔太 香織 大輔 由美 健吾 奈緒 修平 沙織 達也 "
        "智子 悠斗 里奈 雅人 優花 航平 恵子 陽一 真帆 圭太 菜摘 康弘"
    ),
}
_FAMILY = {
    "en": (
        "Abernall Aldcroft Ambery Arkwell Ashdene Barrowby Bexcombe Birchall Brackley Bramford Calderby Carnaby "
        "Chilworth Colwick Cranmoor Darnley Dunsby Eddowes Elverton Fairlamb Farnaby Fernhough Garside Glossop "
        "Gorsedale Hadley Harkness Hexley Holbeck Ilderton Jessop Keldon Kirkbride Lanyon Larkham Loxley "
        "Marchbank Medlock Mossop Netherby Oakshott Ormerod Pennard Pickersgill Quarmby Ravensby Redfern Rowsley "
        "Saltram Scarcliff Selwood Standish Tarrant Thornlow Tilbrook Upjohn Varley Wakeling Wexcombe Whitlam "
        "Yarrow"
    ),
    "de": (
        "Achternbusch Ahlborn Bertram Bocksberg Brinkhaus Dahlmann Dreyling Eickhoff Elsner Fahrenholz Feddersen "
        "Gildehaus Grothe Hagedorn Hasselbach Hinrichs Isermann Jessen Kaltenbrunn Kleinschmidt Kropp Landwehr "
        "Lüders Meinhold Mittelstedt Nagelschmidt Niehaus Oelrich Osterkamp Pfahl Quandt Rautenberg Riedesel "
        "Sander Schierholz Stolze Tiedemann Uhlenbrock Vahle Wedekind Westermann Wulff Ziegenhals"
    ),
    "es": (
        "Aldecoa Arizmendi Baztán Berrocal Cabezón Cifuentes Cordero Cuadrado Echarri Escalante Fuentespina "
        "Gallardo Garmendia Herranz Ibarrola Izquierdo Landáburu Lizarraga Madariaga Manrique Melgosa Montalbán "
        "Novoa Olivares Orduña Palomares Pedrosa Quintana Recalde Robledo Salcedo Sotomayor Tejeda Ugarte "
        "Valbuena Villalonga Yanguas Zubiría"
    ),
    "zh": "欧阳 司徒 上官 诸葛 慕容 夏侯 皇甫 尉迟 公孙 令狐 端木 百里 东郭 南宫 闻人 钟离",
    "ja": "有村 磯部 臼井 江島 大河内 柿沼 北条 久我 小早川 榊 島津 菅野 仙道 高柳 千葉 津島 手塚 鳥居 永瀬 根岸",
}
_WORDS = (
    "aldbrook alverline ambrook arkenfell ashvale balmory barlow beckmere belgrow birchmont blackfen bluthorn "
    "bramwick brindale calvert carrick cedarhow clarenby copperfen cranbrook dalhaven darrowby dunmere eastmarch "
    "elmshaw fallowby farrendon fennimore foxholt galewick garnet glenarrow greymoor hallowby harrowfen hazelmere "
    "heronby hollowick ivorne jessamy kestrel kingsmere larkfen lindmoor lowarth marlowby merrifen millgrove "
    "moorcott northay oakhollow orrin pellworth pinecott quillon ravenmoor redmarsh rowanby saltmere selwick "
    "silverhow stonefen swanmere tamarisk thornby tilmere umberlow valebrook wainfleet westering willowby wyndale "
    "yarrowfen zephyr"
)
_HAN = "云帆 恒泰 瑞禾 青石 远岫 长风 明川 锦程 鸿渐 北辰 松涛 星野 澄湖 白桥 金穗 朝阳岭 双溪 望江 启明 沧浪"
_KANJI = "青葉 霞浦 若竹 白鷺 朝凪 雲井 錦野 松風 北嶺 星川 瑞穂台 楓橋 藤波 夕凪 清流 萩原 月島 花園 山吹 渚"


def pool(kind: str, name: str, language: str) -> list[str]:
    """The names of a kind (`people`, `families`, `words`) that can stand in for this one, in its script."""
    latin = all(ord(letter) < 0x250 for letter in name)
    if kind == "words":
        listed = _WORDS if latin else _KANJI if language == "ja" else _HAN
        return [word.capitalize() if name[:1].isupper() else word for word in listed.split()]
    names = _GIVEN if kind == "people" else _FAMILY
    script = language if language in names and (language in ("zh", "ja")) != latin else "en"
    return names[script].split()
