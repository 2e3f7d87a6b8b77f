"""How a model is asked for tokens: chat formats, sampling, the backends, a local model behind a server, SmolLM2.
It leans on `core` and `llm`; users, agents and training lean on it. torch is imported when a model is used."""
