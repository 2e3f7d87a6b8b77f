"""A local transformers model behind chat completions: in this process, or on 127.0.0.1.

decoding         seeded sampling for several chats at once
dialogue_states  what is kept of dialogues that go on
local_model      completes chats, one or several at a time, seeded
local_client     the model as the client that LLM users take
server           the model as an OpenAI-compatible HTTP server; `python -m mua_env.inference.serving FOLDER`

It leans on the backends; local users, and whoever measures them, lean on it.
"""
