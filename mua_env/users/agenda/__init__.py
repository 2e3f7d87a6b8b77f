"""The offline user: an agenda of requests, what it understands (`nlu`), what it says (`nlg`), and the contract of the
language that a domain gives it. It leans on `core` and `domain`; scoring and all above may lean on it."""
