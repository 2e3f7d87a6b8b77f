"""A small model and its tokenizer from nothing, for runs that need no download.
Leans on `config` and `inference`; runs and plans lean on it."""
