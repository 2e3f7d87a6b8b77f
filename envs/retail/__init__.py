"""The retail domain."""
