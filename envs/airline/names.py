"""Names from which the own customers and their companions are made up."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FIRST_NAMES = _words(
    """
    Adele Akira Alba Aldo Amara Anouk Arvid Astrid Baran Beatriz Bodil Bruno Calum Carmen Cedric Chloe
    Dalia Dante Delphine Dmitri Edith Eero Elif Elsa Emeka Enzo Esme Farid Felix Fiona Freya Gael Greta
    Hana Hector Hedda Helmi Idris Ines Ingrid Iris Ivo Jarek Jasmin Joaquin Jonas Kaja Kamil Katya Kenji
    Lars Leila Leonie Linnea Lorenzo Lubna Maeve Malik Marco Margot Mateo Matilda Milan Mira Nadia
    Nikolai Noor Olga Oscar Otis Paloma Pavel Petra Priya Quentin Rafael Ramona Renata Rohan Rosa Ruben
    Saga Samir Selma Simon Stella Tariq Tessa Thea Tobias Ulla Uma Viktor Viola Wanda Wim Xenia Yusuf
    Zelda Zoltan
    """
)

LAST_NAMES = _words(
    """
    Abara Achterberg Aguilar Almeida Andersson Arslan Bakker Banerjee Baptiste Becker Bergmann Bianchi
    Blom Brandt Castellano Chaudhry Costa Dahl Danjuma Delacroix Demir Dimitrov Dubois Eklund Engel
    Farkas Ferreira Fischer Fontaine Galindo Gruber Haddad Hakimi Hansen Hartmann Hofer Horvath Ibarra
    Iversen Jankovic Jansen Johansen Kaplan Kariuki Keller Kobayashi Kovacs Kruger Larsen Lindqvist
    Lombardi Madsen Mancini Marchetti Mbeki Meier Mendes Moreau Nakamura Navarro Nilsen Novak Nwosu
    Okafor Oliveira Orban Osei Palmgren Papadakis Pereira Petrov Quiroga Rasmussen Ricci Romero Sandoval
    Santana Schreiber Sedlak Sorensen Svensson Takeda Tanaka Thorsen Toth Uribe Valdez Varga Vasquez
    Vogel Weber Wiklund Yamada Yildiz Zapata Zeman Ziegler
    """
)

STREETS = _words(
    """
    Alder Birch Canal Cedar Chestnut Clover Copper Dogwood Fern Foundry Garden Granite Harbor Hazel
    Heron Juniper Lantern Laurel Linden Magnolia Meadow Mill Orchard Poplar Quarry River Rowan Sparrow
    Spruce Station Summit Sycamore Thistle Union Walnut Willow
    """
)

STREET_KINDS = ("Street", "Avenue", "Lane", "Road", "Court", "Way")

STATES = {
    "AUS": ("TX", "78704"),
    "BNA": ("TN", "37209"),
    "BWI": ("MD", "21224"),
    "CLE": ("OH", "44113"),
    "CMH": ("OH", "43206"),
    "IND": ("IN", "46204"),
    "MCI": ("MO", "64111"),
    "MKE": ("WI", "53207"),
    "MSY": ("LA", "70115"),
    "OAK": ("CA", "94610"),
    "PDX": ("OR", "97214"),
    "PIT": ("PA", "15206"),
    "RDU": ("NC", "27607"),
    "SAN": ("CA", "92104"),
    "SAT": ("TX", "78209"),
    "SLC": ("UT", "84105"),
    "SMF": ("CA", "95816"),
    "STL": ("MO", "63110"),
    "TPA": ("FL", "33606"),
    "TUS": ("AZ", "85719"),
}
"""State and a postal code near each airport of the own data."""
