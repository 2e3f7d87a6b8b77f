"""The own data: its shape, and that equal seeds give equal data."""

from __future__ import annotations

import json
from collections import Counter

from mua_env.core.database import Rows, Template
from mua_env.envs.retail.models import Order, Product, User
from mua_env.envs.retail.world_data import generate_data


def test_equal_seeds_give_equal_data(rows: Rows) -> None:
    assert json.dumps(generate_data()) == json.dumps(rows)
    assert json.dumps(generate_data(seed=1)) != json.dumps(rows)


def test_sizes_and_unique_keys(rows: Rows) -> None:
    assert (len(rows["users"]), len(rows["orders"]), len(rows["products"])) == (500, 1000, 50)
    items = [item_id for product in rows["products"] for item_id in product["variants"]]
    keys = [product["product_id"] for product in rows["products"]] + items
    keys += [order["order_id"] for order in rows["orders"]]
    keys += [method_id for user in rows["users"] for method_id in user["payment_methods"]]
    keys += [user["email"] for user in rows["users"]]
    assert len(set(keys)) == len(keys)
    people = Counter((*user["name"].values(), user["address"]["zip"]) for user in rows["users"])
    assert max(people.values()) == 1, "name and zip must point to one user"


def test_records_fit_together(rows: Rows) -> None:
    products = {product["product_id"]: product for product in rows["products"]}
    users = {user["user_id"]: user for user in rows["users"]}
    for order in rows["orders"]:
        user = users[order["user_id"]]
        assert order["order_id"] in user["orders"]
        assert {line["payment_method_id"] for line in order["payment_history"]} <= set(user["payment_methods"])
        total = round(sum(item["price"] for item in order["items"]), 2)
        assert order["payment_history"][0]["amount"] == total
        assert len({item["product_id"] for item in order["items"]}) == len(order["items"])
        for item in order["items"]:
            variant = products[item["product_id"]]["variants"][item["item_id"]]
            assert (variant["options"], variant["price"]) == (item["options"], item["price"])
        shipped = [item_id for shipment in order["fulfillments"] for item_id in shipment["item_ids"]]
        ids = [item["item_id"] for item in order["items"]]
        assert shipped == (ids if order["status"] in ("processed", "delivered") else [])


def test_every_status_and_method_occurs(rows: Rows) -> None:
    statuses = Counter(order["status"] for order in rows["orders"])
    assert set(statuses) == {"pending", "processed", "delivered", "cancelled"}
    assert min(statuses.values()) > 40
    sources = Counter(method["source"] for user in rows["users"] for method in user["payment_methods"].values())
    assert min(sources[name] for name in ("credit_card", "paypal", "gift_card")) > 100


def test_rows_come_back_as_they_went_in(rows: Rows, template: Template) -> None:
    reader = template.reader()
    for model, table, key in (
        (User, "users", "user_id"),
        (Order, "orders", "order_id"),
        (Product, "products", "product_id"),
    ):
        for row in rows[table]:
            assert json.dumps(reader.get(model, row[key]), sort_keys=True) == json.dumps(row, sort_keys=True)
