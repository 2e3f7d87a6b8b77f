"""Reports: dialogues and scores as a person reads them, on a terminal and in a browser."""
