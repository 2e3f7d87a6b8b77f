"""The symptoms, in the order in which one needs the other."""

SYMPTOMS = ("service", "data", "mms")
