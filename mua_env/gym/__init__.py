"""The Gymnasium surface: environment, vector environment, spaces, registration.
Thin over `episode`; agents may use its spaces."""
