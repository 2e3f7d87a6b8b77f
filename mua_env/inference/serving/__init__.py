"""A local transformers model behind chat completions: in this process, or on 127.0.0.1.

sampling  seeded sampling for several chats at once
memory    what is kept of dialogues that go on
engine    completes chats, one or several at a time, seeded
client    the engine as the client that LLM users take
server    the engine as an OpenAI-compatible HTTP server; `python -m mua_env.inference.serving FOLDER`
"""
