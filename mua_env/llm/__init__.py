"""Language models through LiteLLM: client, recorded replies, a ledger of costs. Importing it does not import LiteLLM.
It leans on `core`; users, agents and judges that are models lean on it."""

from mua_env.llm.cache import ReplyCache
from mua_env.llm.client import ChatRequest, Completion, LLMClient
from mua_env.llm.errors import LLMError
from mua_env.llm.ledger import Ledger, Usage
from mua_env.llm.make import make_client
from mua_env.llm.settings import LLMSettings
from mua_env.llm.waiting import WaitLimit

__all__ = [
    "ChatRequest",
    "Completion",
    "LLMClient",
    "LLMError",
    "LLMSettings",
    "Ledger",
    "ReplyCache",
    "Usage",
    "WaitLimit",
    "make_client",
]
