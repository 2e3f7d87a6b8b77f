"""A small domain for tests: a shop for tea, with tables, tools, tasks and a user that follows rules."""

from __future__ import annotations

from shop.domain import ShopDomain, shop
from shop.user import ShopUser

__all__ = ["ShopDomain", "ShopUser", "shop"]
