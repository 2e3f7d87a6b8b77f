"""Word lists of the own telecom data."""

from __future__ import annotations

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
