"""What a domain is: its contract, how domains are found, and what makes, verifies and reads tasks.
It leans on `core` and imports neither users nor agents; those read it."""
