"""Readers of public benchmarks' data files. Nothing of the benchmarks' own code is run or imported.
They lean on `core`; the domains whose tasks they read lean on them."""
