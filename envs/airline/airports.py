"""Airport codes and their cities: the network of the own data, and the twenty airports of the public data."""

from __future__ import annotations

CITIES: dict[str, str] = {
    "AUS": "Austin",
    "BNA": "Nashville",
    "BWI": "Baltimore",
    "CLE": "Cleveland",
    "CMH": "Columbus",
    "IND": "Indianapolis",
    "MCI": "Kansas City",
    "MKE": "Milwaukee",
    "MSY": "New Orleans",
    "OAK": "Oakland",
    "PDX": "Portland",
    "PIT": "Pittsburgh",
    "RDU": "Raleigh",
    "SAN": "San Diego",
    "SAT": "San Antonio",
    "SLC": "Salt Lake City",
    "SMF": "Sacramento",
    "STL": "St. Louis",
    "TPA": "Tampa",
    "TUS": "Tucson",
}
"""City of each airport of the own data."""

PUBLIC_CITIES: dict[str, str] = {
    "ATL": "Atlanta",
    "BOS": "Boston",
    "CLT": "Charlotte",
    "DEN": "Denver",
    "DFW": "Dallas",
    "DTW": "Detroit",
    "EWR": "Newark",
    "IAH": "Houston",
    "JFK": "New York",
    "LAS": "Las Vegas",
    "LAX": "Los Angeles",
    "LGA": "New York",
    "MCO": "Orlando",
    "MIA": "Miami",
    "MSP": "Minneapolis",
    "ORD": "Chicago",
    "PHL": "Philadelphia",
    "PHX": "Phoenix",
    "SEA": "Seattle",
    "SFO": "San Francisco",
}
"""City of each airport that occurs in the public benchmark's flights."""


_PUBLIC_ORDER = "SFO JFK LAX ORD DFW DEN SEA ATL MIA BOS PHX IAH LAS MCO EWR CLT MSP DTW PHL LGA"


def public_listing() -> dict[str, str]:
    """The public benchmark's list of its airports, in its order; it has a name of its own for one of New York's."""
    return {code: PUBLIC_CITIES[code] for code in _PUBLIC_ORDER.split()} | {"LGA": "LaGuardia"}


def city(code: str) -> str:
    """City of an airport; the code itself when the airport is not known."""
    return CITIES.get(code) or PUBLIC_CITIES.get(code) or code
