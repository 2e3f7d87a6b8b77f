"""Readers of public benchmarks' data files. Nothing of the benchmarks' own code is run or imported."""
