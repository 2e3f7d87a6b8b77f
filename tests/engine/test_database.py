from __future__ import annotations

import json
from contextlib import nullcontext

import pytest
from shop import shop
from shop.models import Customer, Line, Order
from sqlalchemy import text

from mua_env.core.database import Database, Template, open_template
from mua_env.errors import ConfigError, DataError, DomainError, EpisodeError


def test_reset_undoes_everything(db: Database) -> None:
    before = db.find(Order)
    db.update(Order, "#1", status="lost")
    db.delete(Order, "#2")
    db.insert(Order, {"order_id": "#99", "customer_id": "c1", "status": "new", "total": 1})
    assert db.find(Order) != before
    db.reset()
    assert db.find(Order) == before
    assert db.changes() == {}


def test_changes_hold_the_present_rows(db: Database) -> None:
    db.update(Order, "#1", status="lost")
    db.delete(Order, "#2")
    db.insert(Line, {"order_id": "#1", "number": 3, "tea": "Oolong", "count": 1})
    changes = db.changes()
    assert set(changes) == {("orders", '["#1"]'), ("orders", '["#2"]'), ("lines", '["#1",3]')}
    assert changes["orders", '["#2"]'] is None
    assert changes["lines", '["#1",3]'] == {"order_id": "#1", "number": 3, "tea": "Oolong", "count": 1}


def test_row_that_came_back_is_no_change(db: Database) -> None:
    row = db.get(Order, "#1")
    assert row is not None
    db.update(Order, "#1", status="lost")
    db.update(Order, "#1", status=row["status"])
    db.delete(Line, ("#1", 1))
    db.insert(Line, {"order_id": "#1", "number": 1, "tea": "Assam", "count": 2})
    assert db.changes() == {}


def test_change_of_type_alone_is_a_change(db: Database) -> None:
    db.update(Order, "#1", total=10.0)
    assert db.changes() == {("orders", '["#1"]'): {**(db.get(Order, "#1") or {})}}


def test_raw_sql_does_not_escape_the_log(db: Database) -> None:
    db.execute(text("UPDATE lines SET count = count + 1 WHERE tea = 'Assam' AND order_id IN ('#3', '#4')"))
    db.execute(text("DELETE FROM orders WHERE order_id = :id"), {"id": "#5"})
    assert sorted(db.changes()) == [("lines", '["#3",1]'), ("lines", '["#4",1]'), ("orders", '["#5"]')]


def test_changed_key_counts_for_both_rows(db: Database) -> None:
    db.execute(text("UPDATE orders SET order_id = '#1b' WHERE order_id = '#1'"))
    changes = db.changes()
    assert changes["orders", '["#1"]'] is None
    assert (changes["orders", '["#1b"]'] or {})["status"] == "pending"


@pytest.mark.parametrize("key", ["plain", 'with "quotes"', "tab\tand, comma", "Zoë 茶", "back\\slash", "[1]"])
def test_keys_are_spelt_alike_everywhere(db: Database, key: str) -> None:
    db.insert(Order, {"order_id": key, "customer_id": "c1", "status": "new", "total": None})
    row_key = ("orders", json.dumps([key], ensure_ascii=False, separators=(",", ":")))
    assert list(db.changes()) == [row_key]
    assert (db.row(row_key) or {})["order_id"] == key


def test_savepoint_undoes_its_block_only(db: Database) -> None:
    db.update(Order, "#1", status="kept")

    def fail(*, inner: bool) -> None:
        with db.savepoint():
            with db.savepoint() if inner else nullcontext():
                db.update(Order, "#2", status="undone")
            raise RuntimeError

    for inner in (False, True):
        with pytest.raises(RuntimeError):
            fail(inner=inner)
        assert list(db.changes()) == [("orders", '["#1"]')]


def test_clones_are_independent(template: Template) -> None:
    one, two = template.clone(), template.clone()
    one.update(Order, "#1", status="mine")
    assert two.changes() == {}
    assert (template.reader().get(Order, "#1") or {})["status"] == "pending"
    one.close()
    two.close()


def test_fork_has_the_same_state_and_its_own_future(db: Database) -> None:
    db.update(Customer, "c1", email_lower="changed@example.com", tags=["x"])
    db.delete(Line, ("#1", 1))
    db.insert(Line, {"order_id": "#1", "number": 5, "tea": "Oolong", "count": 1})
    twin = db.fork()
    assert twin.changes() == db.changes()
    assert twin.find(Customer, Customer.email_lower == "changed@example.com")  # hidden columns go along
    db.update(Order, "#7", status="a")
    twin.update(Order, "#8", status="b")
    assert ("orders", '["#8"]') not in db.changes()
    assert ("orders", '["#7"]') not in twin.changes()
    twin.reset()
    assert twin.changes() == {}
    twin.close()


def test_rows_come_in_the_order_of_their_key(db: Database) -> None:
    for key in ("b", "B", "a", "_", "é", "Z"):
        db.insert(Order, {"order_id": key, "customer_id": "x", "status": "new", "total": 0})
    found = [row["order_id"] for row in db.find(Order, Order.customer_id == "x")]
    assert found == sorted(found, key=lambda key: key.encode())
    assert [r["order_id"] for r in db.find(Order, order_by=Order.order_id.desc(), limit=2)] == ["é", "b"]


def test_rows_are_yours_to_change(db: Database) -> None:
    row = db.get(Customer, "c1")
    assert row is not None
    row["address"]["zip"] = "spoiled"
    again = db.get(Customer, "c1")
    assert again is not None
    assert again["address"]["zip"] == "10001"


@pytest.mark.parametrize("value", [100, 100.0, "100", None, True, [1, 1.0], {"a": 1e3}, 0.1])
def test_json_keeps_value_and_type(db: Database, value: object) -> None:
    db.update(Order, "#1", total=value)
    got = (db.get(Order, "#1") or {}).get("total")
    assert json.dumps(got) == json.dumps(value)


def test_absent_rows(db: Database) -> None:
    assert db.get(Order, "nothing") is None
    assert db.update(Order, "nothing", status="x") is False
    assert db.delete(Order, "nothing") is False
    assert db.changes() == {}


def test_wrong_keys_and_columns_are_named(db: Database) -> None:
    with pytest.raises(DomainError, match="'lines' has a key of 2 columns, got '#1'"):
        db.get(Line, "#1")
    with pytest.raises(DomainError, match="'orders' has no column 'colour'"):
        db.update(Order, "#1", colour="red")


def test_close_is_final(template: Template) -> None:
    database = template.clone()
    database.close()
    database.close()
    with pytest.raises(EpisodeError, match="closed"):
        database.reset()


def test_data_that_does_not_fit_is_refused(database_url: str | None) -> None:
    rows = dict(shop.data())
    with pytest.raises(DataError, match="'teas'; the domain has customers, lines, orders"):
        open_template(shop.models, {**rows, "teas": []}, url=database_url)
    with pytest.raises(DataError, match="'orders' has no column 'colour'"):
        open_template(shop.models, {**rows, "orders": [{"order_id": "1", "colour": "red"}]}, url=database_url)
    with pytest.raises(DataError, match="does not fit table 'orders'"):
        open_template(shop.models, {**rows, "orders": [{"order_id": "1"}]}, url=database_url)


def test_other_databases_are_refused() -> None:
    with pytest.raises(ConfigError, match="'mysql://x'; use 'sqlite://'"):
        open_template(shop.models, shop.data(), url="mysql://x")


def test_each_update_of_an_episode_costs_what_it_changes(db: Database) -> None:
    for _ in range(3):
        for i in range(5):
            db.update(Order, f"#{i}", status="x")
        assert len(db.changes()) == 5
        db.reset()
