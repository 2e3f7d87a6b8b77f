"""From dialogue acts to what the user says: phrasings, their grammar, personas.
Leans on nothing of the user's state; the agenda's turn and the domains' languages lean on it."""
