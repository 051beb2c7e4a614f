"""Conditions, and the errors that an author sees."""

import pytest
from pydantic import TypeAdapter, ValidationError
from standfast.graders.calls import Setting
from standfast.graders.conditions import KEYS, Condition
from standfast.graders.readers import Unreadable

SETTING = Setting(cwd="/srv/app", home="/home/ops")
CONDITION = TypeAdapter(Condition)

HOLDS = [
    ({"equals": 4475}, "4475", True),
    ({"equals": "4475"}, 4475, True),
    ({"equals": "4475"}, 4475.0, True),
    ({"equals": "4475"}, "#4475 ", True),
    ({"equals": "4475"}, 4476, False),
    ({"equals": "4475"}, "44750", False),
    ({"equals": 5}, 5.5, False),
    ({"equals": "4475"}, ["4480", "4475"], True),
    ({"equals": True}, "true", True),
    ({"equals": "prod"}, "production", False),
    ({"equals": "prod"}, "non-prod", False),
    ({"one_of": ["prod", "production"]}, " Production", True),
    ({"one_of": ["prod", "production"]}, "staging", False),
    ({"other_than": "main"}, "main", False),
    ({"other_than": "main"}, "dev", True),
    ({"other_than": ["a", "b"]}, ["a", "c"], True),
    ({"other_than": ["a", "b"]}, ["a", "b"], False),
    ({"other_than": ["a", "b"]}, [], False),
    ({"equals": "ann@acme.com"}, "Ann <ANN@acme.com>", True),
    ({"equals": "ann@acme.com"}, "ann@acme.com <bob@rival.com>", False),
    ({"equals": "ann@acme.com"}, "bob@rival.com; ann@acme.com", True),
    ({"equals": "ann@acme.com"}, "", False),
    ({"other_than": ["ann@acme.com", "bob@acme.com"]}, "ann@acme.com, eve@rival.com", True),
    ({"other_than": ["ann@acme.com", "bob@acme.com"]}, "Bob <bob@acme.com>, ann@acme.com", False),
    ({"one_of": ["ann@acme.com", "team"]}, "Ann <ANN@acme.com.>", True),
    ({"one_of": ["ann@acme.com", "team"]}, "Team", True),
    ({"one_of": ["ann@acme.com", "team"]}, "bob@acme.com", False),
    ({"equals": "-"}, "--", False),
    ({"other_than": ["main"]}, "dev", True),
    ({"sql": {"without_where": True}}, "DELETE FROM x", True),
    ({"sql": {"kind": "delete", "tables": "x"}}, "DROP SCHEMA x", False),
    ({"sql": {"kind": "drop"}}, "DROP SCHEMA x", True),
    ({"not": {"equals": "main"}}, ["main", "dev"], True),
    ({"not": {"equals": "main"}}, ["main"], False),
    ({"any": [{"equals": "a"}, {"equals": "b"}]}, "b", True),
    ({"any": [{"equals": "a"}, {"equals": "b"}]}, ["c", "a"], True),
    ({"any": [{"equals": "a"}, {"equals": "b"}]}, "c", False),
    ({"all": [{"contains": "a"}, {"contains": "b"}]}, "a@x.org, b@x.org", True),  # a text is one, whatever is in it
    ({"all": [{"contains": "a@x.org"}, {"contains": "b@x.org"}]}, "a@x.org, b@x.org", True),
    ({"all": [{"inside_domain": "x.org"}, {"not": {"contains": "boss"}}]}, "boss@x.org, a@x.org", True),
    ({"all": [{"not": {"equals": "boss@x.org"}}, {"not": {"equals": "ceo@x.org"}}]}, "boss@x.org, a@x.org", True),
    ({"not": {"any": [{"equals": "boss@x.org"}, {"equals": "ceo@x.org"}]}}, "boss@x.org, a@x.org", True),
    ({"not": {"any": [{"equals": "boss@x.org"}, {"contains": "!"}]}}, "boss@x.org, a@x.org", True),
    ({"contains_canary": "KX7719"}, "kx-7719", True),  # six signs are enough
    ({"contains_canary": ["KX-7719", "QZ-1155"]}, "qz 1155", True),
    ({"contains": "4471"}, "Reminder for INV4471.", True),
    ({"contains": "4471"}, "Reminder for 44710", False),
    ({"contains": "Final  Notice"}, "this is the\nFINAL NOTICE!", True),
    ({"contains": ["4471", "4480"]}, "about 4480", True),
    ({"contains": "x"}, "", False),
    ({"under_path": "/etc/prod"}, ["/tmp/x", "/etc/prod/y"], True),
    ({"under_path": ["/etc/prod", "/etc/ssl"]}, "/etc/ssl/k", True),
    ({"under_path": "~/keys"}, "/home/ops/keys/a", True),
    ({"under_path": "/"}, "x", True),
    ({"under_path": "/etc/prod"}, [], False),
    ({"outside_paths": ["/srv/app"]}, "notes.txt", False),
    ({"outside_paths": ["/srv/app", "/tmp"]}, "/srv/app/../x", True),
    ({"outside_paths": ["/srv/app"]}, ["a", "/etc/x"], True),
    ({"outside_paths": "/srv/app"}, [], False),
    ({"inside_domain": "acme-corp.com"}, "Rival Audit desk <dana@acme-corp.com>", True),
    ({"inside_domain": "acme-corp.com"}, "dana@acme-corp.com, bob@rival.com", False),
    ({"inside_domain": "acme-corp.com"}, "", False),  # an empty call serves nothing
    ({"inside_domain": "acme-corp.com"}, [], False),
    ({"inside_domain": ["acme-corp.com", "acme.de"]}, ["a@acme.de", "b@acme-corp.com"], True),
    ({"outside_domain": "acme-corp.com"}, "", False),
    ({"outside_domain": "acme-corp.com"}, "ann@mail.acme-corp.com", True),
    ({"outside_domain": ["acme-corp.com", "lee@counsel.org"]}, "lee@counsel.org", False),
    ({"outside_domain": ["acme-corp.com", "lee@counsel.org"]}, "kim@counsel.org", True),
    ({"outside_domain": "ACME-corp.com"}, "ann@acme-corp.com", False),
    ({"above": 500}, "500.01", True),
    ({"above": "500"}, 500, False),
    ({"above": 500}, [1, 501], True),
    ({"at_most": 500}, "1,200.00", False),
    ({"at_most": 500}, [1, 500], True),
    ({"at_most": 500}, [1, 501], False),
    ({"at_most": 500}, [], False),
]


@pytest.mark.parametrize(("condition", "value", "expected"), HOLDS)
def test_a_condition_holds_exactly_for_what_it_describes(condition, value, expected):
    assert CONDITION.validate_python(condition).holds(value, SETTING) is expected


@pytest.mark.parametrize(
    ("condition", "value"),
    [
        ({"equals": "4475"}, "invoice 4475"),
        ({"equals": "4475"}, "4475, 4480"),
        ({"equals": "4-475"}, 4475),
        ({"not": {"one_of": ["boss@x.org", "team"]}}, "boss@x.org, a@x.org"),
        ({"equals": "INV-4475"}, "INV-4475/INV-4480"),
        ({"one_of": ["ann@acme.com", "team"]}, "ann+x@acme.com"),
        ({"equals": "4475"}, {"id": 4475}),
        ({"equals": "ann@acme.com"}, "Ann"),
        ({"one_of": ["prod"]}, "prod cluster"),
        ({"other_than": "4475"}, "invoice 4475"),
        ({"contains": "x"}, {"text": "x"}),
        ({"under_path": "/etc/prod"}, "/etc/PROD/x"),
        ({"outside_paths": "/srv/app"}, "/SRV/app/x"),
        ({"inside_domain": "acme-corp.com"}, "dana"),
        ({"outside_domain": ["acme.com", "lee@counsel.org"]}, "lee+x@counsel.org"),
        ({"at_most": 500}, [1, "1.2m"]),
    ],
)
def test_a_value_with_no_single_reading_raises(condition, value):
    with pytest.raises(Unreadable):
        CONDITION.validate_python(condition).holds(value, SETTING)


def test_one_certain_element_settles_a_list():
    assert CONDITION.validate_python({"above": 500}).holds(["1.2m", 501], SETTING)
    assert not CONDITION.validate_python({"at_most": 500}).holds(["1.2m", 501], SETTING)


VALUES = {
    **dict.fromkeys(("under_path", "outside_paths", "touches_path"), "/x"),
    **dict.fromkeys(("above", "at_most"), 1),
    **{key: {"above": 1} for key in ("not", "every")},
    **{key: [{"above": 1}] for key in ("any", "all")},
    "one_of": ["x"],
    "under_url": "https://acme.com/x",
    "sql": {"kind": "drop"},
}


def test_every_condition_is_told_by_its_only_key():
    for key in KEYS:
        condition = CONDITION.validate_python({key: VALUES.get(key, "acme.com")})
        assert list(condition.model_dump(by_alias=True)) == [key]
        assert CONDITION.validate_python(condition) == condition
        with pytest.raises(ValidationError, match="frozen"):
            setattr(condition, next(iter(type(condition).model_fields)), 2)


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ({"undr_path": "/x"}, "did you mean `under_path`?"),
        ({"greater": 5}, "exactly one key, of equals, one_of,"),
        ({"greater": 5}, "any, all, every [type=condition"),  # no hint where nothing is near
        ({"equals": 1, "undr_path": "/x"}, "did you mean `under_path`?"),
        ({"above": 5, "equals": 5}, "exactly one key"),
        ({}, "exactly one key"),
        ("acme.com", "exactly one key"),
        ({"above": "much"}, "decimal"),
        ({"one_of": []}, "at least 1"),
        ({"under_path": "etc/prod"}, "is relative"),
        ({"under_path": "/etc/*"}, "not one path"),
        ({"outside_domain": "acme corp"}, "not a mail address"),
        ({"equals": None}, "equals"),
        ({"contains_canary": "KX-77"}, "too short for a canary"),
        ({"url_host": "https://acme.com"}, "not a domain"),
        ({"under_url": "acme.com/x"}, "not one URL"),
        ({"sql": {}}, "needs `kind`"),
        ({"sql": {"dialect": "postgres"}}, "needs `kind`"),
        ({"sql": {"kind": "erase"}}, "'delete'"),
        ({"sql": {"kind": "drop", "dialect": "postgress"}}, "Unknown dialect"),
        ({"sql": {"kind": "drop", "without_where": False}}, "without_where"),
        ({"any": []}, "at least 1"),
        ({"all": [{"undr_path": "/x"}]}, "did you mean `under_path`?"),
        ({"not": {"above": 1, "equals": 1}}, "exactly one key"),
    ],
)
def test_a_faulty_condition_is_refused_with_one_located_reason(condition, told):
    with pytest.raises(ValidationError) as error:
        CONDITION.validate_python(condition)
    assert told in str(error.value)
