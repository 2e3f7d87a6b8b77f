"""The airline domain: booking, changing and cancelling flights for the customers of an airline."""
