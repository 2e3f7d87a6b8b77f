"""The own telecom data: 300 customers with their lines, devices and bills, and six plans, made from one seed.

Shapes of ids and records are those of the public telecom benchmark; names, plans, prices and numbers are our own.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from .records import phone_row, surroundings_row, with_owners

# fmt: off
FIRST_NAMES = (
    "Adela", "Alban", "Amara", "Anouk", "Arlo", "Astrid", "Basil", "Beatrix", "Bruno", "Cedric", "Chiara", "Cosima",
    "Dario", "Delia", "Dorian", "Edda", "Elias", "Elodie", "Enzo", "Esme", "Farid", "Fenna", "Fiona", "Florin",
    "Gemma", "Gilda", "Goran", "Greta", "Hanna", "Hector", "Helga", "Idris", "Inga", "Ivo", "Jarek", "Joelle",
    "Kaspar", "Katya", "Kenji", "Lavinia", "Leonie", "Levin", "Liam", "Livia", "Malik", "Margit", "Matteo", "Milena",
    "Nadia", "Nikolai", "Noemi", "Oscar", "Otis", "Petra", "Quentin", "Rafael", "Ramona", "Rosalind", "Rufus", "Salma",
    "Selma", "Stefan", "Sunniva", "Tariq", "Thea", "Tobias", "Ulrich", "Uma", "Vito", "Viola", "Wanda", "Yusuf",
    "Zelda",
)
LAST_NAMES = (
    "Albers", "Arroyo", "Auer", "Bachmann", "Barlow", "Becerra", "Bianchi", "Bloom", "Borges", "Brandt", "Caldwell",
    "Castell", "Cordova", "Dahl", "Delgado", "Drummond", "Egger", "Engel", "Fadel", "Ferrara", "Finch", "Gardner",
    "Goebel", "Granger", "Hadad", "Harlow", "Hedlund", "Horvath", "Ibarra", "Ivanov", "Jansen", "Jordan", "Kaminski",
    "Keller", "Kovac", "Lambert", "Larsen", "Leclerc", "Lopes", "Marchetti", "Mercer", "Moreau", "Nakano", "Navarro",
    "Nyberg", "Okafor", "Olsen", "Pereira", "Pike", "Quist", "Ramos", "Ricci", "Rosen", "Sandoval", "Schuster",
    "Sorensen", "Stahl", "Tanaka", "Thorne", "Toledo", "Ueda", "Valdez", "Varga", "Vogel", "Walsh", "Weiss", "Winter",
    "Yilmaz", "Zeller", "Zimmer",
)
STREETS = ("Alder", "Beacon", "Cooper", "Dune", "Ferry", "Garden", "Harbor", "Juniper", "Lantern", "Mill", "Orchard",
           "Quarry", "Saddle", "Tanner", "Weaver")
STREET_KINDS = ("Street", "Avenue", "Lane", "Road", "Court")
CITIES = (
    ("Boise", "ID", "837", "208"), ("Duluth", "MN", "558", "218"), ("Eugene", "OR", "974", "541"),
    ("Fargo", "ND", "581", "701"), ("Laredo", "TX", "780", "956"), ("Mobile", "AL", "366", "251"),
    ("Racine", "WI", "534", "262"), ("Reno", "NV", "895", "775"), ("Toledo", "OH", "436", "419"),
    ("Utica", "NY", "135", "315"),
)
"""City, state, beginning of the zip code, area code."""
PHONES = ("Halden Nova 3", "Halden Nova 4 Plus", "Kestrel One", "Kestrel Mini", "Orbit S8", "Orbit S9", "Tarn Pocket",
          "Vesper 11", "Vesper 12 Max")
TABLETS = ("Halden Slate", "Orbit Tab 10")
WATCHES = ("Kestrel Loop", "Orbit Watch 2")
COUNTRIES = ("Portugal", "Norway", "Japan", "Kenya", "Chile", "Greece", "Iceland", "Morocco")
# fmt: on

Record = dict[str, Any]

SEED: Final = 20265
CUSTOMERS: Final = 300
PLANS: Final[tuple[Record, ...]] = tuple(
    {
        "plan_id": f"P{number}",
        "name": name,
        "data_limit_gb": limit,
        "price_per_month": price,
        "data_refueling_price_per_gb": refuel,
    }
    for number, name, limit, price, refuel in (
        (2101, "Brook 3", 3.0, 18.0, 4.0),
        (2102, "Creek 8", 8.0, 27.0, 3.5),
        (2103, "River 20", 20.0, 39.0, 2.5),
        (2104, "Lake 40", 40.0, 52.0, 2.0),
        (2105, "Ocean 100", 100.0, 74.0, 1.5),
        (2106, "Pebble 1", 1.0, 9.0, 6.0),
    )
)
"""The last is for watches; the others are for phones and tablets."""
MAIN_PLANS: Final = PLANS[:5]
_MONTHS: Final = ((11, 2024), (12, 2024), (1, 2025), (2, 2025))
_MORE_LINES: Final = (0, 0, 0, 1, 1, 2)


def generate_data(seed: int = SEED, customers: int = CUSTOMERS) -> dict[str, list[Record]]:
    """Rows of all tables; the phone is in good order and nobody's yet.

    The first line of each customer is that of a phone, active and within its data limit, with no bill overdue: what
    is wrong in a task is set up by the task.

    Args:
        seed: equal seeds give equal data.
        customers: how many.
    """
    maker = _Maker(random.Random(seed))
    for _ in range(customers):
        maker.customer()
    return with_owners({**maker.rows, "phone": [phone_row()], "surroundings": [surroundings_row()]})


class _Maker:
    """Makes records from one generator; ids, numbers and names never repeat."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._taken: set[str] = set()
        self.rows: dict[str, list[Record]] = {
            "customers": [],
            "lines": [],
            "plans": [dict(plan) for plan in PLANS],
            "devices": [],
            "bills": [],
        }

    def _unique(self, make: Callable[[], str]) -> str:
        while (value := make()) in self._taken:
            pass
        self._taken.add(value)
        return value

    def _digits(self, prefix: str, count: int) -> str:
        return self._unique(lambda: f"{prefix}{self._rng.randrange(10 ** (count - 1), 10**count)}")

    def customer(self) -> None:
        rng = self._rng
        name = self._unique(lambda: f"{rng.choice(FIRST_NAMES)} {rng.choice(LAST_NAMES)}")
        city, state, prefix, area = rng.choice(CITIES)
        customer: Record = {
            "customer_id": self._digits("C", 5),
            "full_name": name,
            "date_of_birth": _date(rng, 1948, 2004),
            "email": f"{name.lower().replace(' ', '.')}@example.com",
            "address": {
                "street": f"{rng.randrange(10, 990)} {rng.choice(STREETS)} {rng.choice(STREET_KINDS)}",
                "city": city,
                "state": state,
                "zip_code": f"{prefix}{rng.randrange(100):02d}",
            },
            "account_status": "Active",
            "payment_methods": [self._payment_method() for _ in range(rng.choice((1, 1, 2)))],
            "created_at": f"{_date(rng, 2015, 2023)} {rng.randrange(8, 20):02d}:{rng.randrange(60):02d}:00",
            "goodwill_credit_used_this_year": float(rng.choice((0, 0, 0, 10, 20))),
        }
        lines = [self._line(area, "phone")]
        lines += [self._line(area, rng.choice(("phone", "tablet", "watch"))) for _ in range(rng.choice(_MORE_LINES))]
        customer["phone_number"] = lines[0]["phone_number"]
        customer["line_ids"] = [line["line_id"] for line in lines]
        customer["bill_ids"] = self._bills(customer["customer_id"], lines)
        self.rows["customers"].append(customer)

    def _payment_method(self) -> Record:
        rng = self._rng
        return {
            "method_type": rng.choice(("Credit Card", "Debit Card", "PayPal")),
            "account_number_last_4": f"{rng.randrange(10000):04d}",
            "expiration_date": f"{rng.randrange(1, 13):02d}/{rng.randrange(2026, 2030)}",
        }

    def _line(self, area: str, kind: str) -> Record:
        rng = self._rng
        plan = PLANS[5] if kind == "watch" else rng.choice(MAIN_PLANS)
        line: Record = {
            "line_id": self._digits("L", 5),
            "phone_number": self._unique(lambda: f"{area}-555-{rng.randrange(1000, 10000)}"),
            "status": "Active",
            "plan_id": plan["plan_id"],
            "device_id": self._device(kind),
            "data_used_gb": round(plan["data_limit_gb"] * rng.uniform(0.1, 0.85), 1),
            "data_refueling_gb": 0.0,
            "roaming_enabled": rng.random() < 0.4,
            "contract_end_date": _date(rng, 2026, 2027),
            "last_plan_change_date": _date(rng, 2022, 2024),
        }
        self.rows["lines"].append(line)
        return line

    def _device(self, kind: str) -> str:
        rng = self._rng
        models = {"phone": PHONES, "tablet": TABLETS, "watch": WATCHES}[kind]
        device: Record = {
            "device_id": self._digits("D", 5),
            "device_type": kind,
            "model": rng.choice(models),
            "imei": self._digits("", 15),
            "is_esim_capable": rng.random() < 0.7,
            "activated": True,
            "activation_date": f"{_date(rng, 2022, 2024)} {rng.randrange(8, 20):02d}:00:00",
        }
        self.rows["devices"].append(device)
        return str(device["device_id"])

    def _bills(self, customer_id: str, lines: list[Record]) -> list[str]:
        """Three months paid, and the draft of the next bill."""
        price = {plan["plan_id"]: plan["price_per_month"] for plan in PLANS}
        ids = []
        for month, year in _MONTHS:
            draft = (month, year) == _MONTHS[-1]
            items = [_charge(line["line_id"], price[line["plan_id"]], f"{year}-{month:02d}-01") for line in lines]
            bill: Record = {
                "bill_id": self._digits("B", 6),
                "customer_id": customer_id,
                "period_start": f"{year}-{month:02d}-01",
                "period_end": f"{year}-{month:02d}-{28 if month == 2 else 31 - (month == 11)}",
                "issue_date": _after(month, year, 1),
                "total_due": sum(item["amount"] for item in items),
                "due_date": _after(month, year, 15),
                "line_items": items,
                "status": "Draft" if draft else "Paid",
            }
            self.rows["bills"].append(bill)
            ids.append(bill["bill_id"])
        return ids


def _charge(line_id: str, amount: float, date: str) -> Record:
    return {"description": f"Monthly price of line {line_id}", "amount": amount, "date": date, "item_type": "Charge"}


def _after(month: int, year: int, day: int) -> str:
    """A day of the month after."""
    return f"{year + month // 12}-{month % 12 + 1:02d}-{day:02d}"


def _date(rng: random.Random, first: int, last: int) -> str:
    return f"{rng.randint(first, last)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"
