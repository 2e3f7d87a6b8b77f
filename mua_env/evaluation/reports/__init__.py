"""What a person reads, on a terminal and in a browser: dialogues, audits, user cards; all pages share one template.
They lean on what they show; the command line and the training report lean on them."""
