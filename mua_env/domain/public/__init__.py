"""Readers of public benchmarks' data files, and of how their tools are shown. Nothing of the benchmarks' own code is
run or imported.
They lean on `core`; the domains whose tasks they read lean on them."""
