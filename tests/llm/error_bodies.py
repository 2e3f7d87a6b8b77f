"""How endpoints refuse: status and body of each kind, in the forms of the servers that send them (values are ours)."""

from __future__ import annotations

from typing import Any

from mua_env.llm.errors import Kind


def openai(message: str, code: Any = None, type_: str | None = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": type_, "param": None, "code": code}}


def anthropic(message: str, type_: str = "invalid_request_error") -> dict[str, Any]:
    return {"type": "error", "error": {"type": type_, "message": message}}


def vllm(message: str, code: int = 400) -> dict[str, Any]:
    return {"object": "error", "message": message, "type": "BadRequestError", "param": None, "code": code}


BODIES: dict[str, tuple[Kind, int, Any]] = {
    "openai context": (
        "context",
        400,
        openai("This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
    ),
    "openai code alone": ("context", 400, openai("The request was not accepted.", "context_length_exceeded")),
    "openai quota": (
        "quota",
        429,
        openai("You exceeded your current quota, please check your plan.", "insufficient_quota", "insufficient_quota"),
    ),
    "openai rate": (
        "rate_limit",
        429,
        openai("Rate limit reached on tokens per min. Please try again in 2s.", "rate_limit_exceeded", "tokens"),
    ),
    "openai key": ("auth", 401, openai("Incorrect API key provided: sk-nothing.", "invalid_api_key")),
    "openai model": ("bad_request", 404, openai("The model `none` does not exist.", "model_not_found")),
    "openai room for the reply": (
        "bad_request",
        400,
        openai("max_tokens is too large: 90000. This model supports at most 4096 completion tokens.", "invalid_value"),
    ),
    "openai field": (
        "bad_request",
        400,
        openai("Invalid 'messages[1].name': string too long. Expected at most 64.", "string_above_max_length"),
    ),
    "azure filter": ("bad_request", 400, openai("The prompt triggered the content policy.", "content_filter", None)),
    "anthropic context": ("context", 400, anthropic("prompt is too long: 210000 tokens > 200000 maximum")),
    "anthropic overloaded": ("server", 529, anthropic("Overloaded", "overloaded_error")),
    "anthropic credit": ("quota", 400, anthropic("Your credit balance is too low. Please go to Plans & Billing.")),
    "anthropic key": ("auth", 401, anthropic("invalid x-api-key", "authentication_error")),
    "anthropic rate": (
        "rate_limit",
        429,
        anthropic("This request would exceed the rate limit of 40,000 input tokens per minute.", "rate_limit_error"),
    ),
    "anthropic blank": ("bad_request", 400, anthropic("messages: text content blocks must be non-empty")),
    "anthropic size": ("context", 413, anthropic("Request exceeds the maximum size", "request_too_large")),
    "vllm decoder": (
        "context",
        400,
        vllm("The decoder prompt (length 4200) is longer than the maximum model length of 4096."),
    ),
    "vllm input": ("context", 400, vllm("Input length (4200) exceeds model's maximum context length (4096).")),
    "vllm nested": ("context", 400, {"error": vllm("You requested 4200 tokens, the maximum context length is 4096.")}),
    "vllm tools": ("bad_request", 400, vllm('"auto" tool choice requires --enable-auto-tool-choice to be set')),
    "sglang": ("context", 400, vllm("The input (5000 tokens) is longer than the model's context length (4096).")),
    "tgi": (
        "context",
        422,
        {"error": "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"},
    ),
    "lm studio keep": (
        "context",
        400,
        {"error": "Trying to keep the first 5210 tokens when context overflows, but the context length is only 4096."},
    ),
    "lm studio prompt": (
        "context",
        400,
        {"error": "The number of tokens to keep from the initial prompt is greater than the context length."},
    ),
    "lm studio midway": ("context", 500, {"error": "Reached context length of 4096 tokens with this model."}),
    "lm studio model": ("bad_request", 404, {"error": "Model not found"}),
    "llama.cpp": (
        "context",
        400,
        {"error": {"code": 400, "message": "no", "type": "exceed_context_size_error", "n_ctx": 4096}},
    ),
    "llama.cpp loading": (
        "server",
        503,
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
    ),
    "ollama": ("context", 400, openai("input length exceeds maximum context length")),
    "ollama model": ("bad_request", 404, openai('model "none" not found, try pulling it first', None, "api_error")),
    "ollama tools": ("bad_request", 400, openai("registry.ollama.ai/none does not support tools", None, "api_error")),
    "openrouter context": (
        "context",
        400,
        {"error": {"message": "This endpoint's maximum context length is 65536 tokens.", "code": 400}},
    ),
    "openrouter wrapped": (
        "context",
        400,
        {
            "error": {
                "message": "Provider returned error",
                "code": 400,
                "metadata": {"raw": '{"error": {"message": "Input length (9000) exceeds the context length (8192)"}}'},
            }
        },
    ),
    "openrouter credits": ("quota", 402, {"error": {"message": "Insufficient credits.", "code": 402}}),
    "openrouter key": ("auth", 401, {"error": {"message": "No auth credentials found", "code": 401}}),
    "openrouter provider": ("server", 502, {"error": {"message": "Provider returned error", "code": 502}}),
    "gemini context": (
        "context",
        400,
        {"error": {"code": 400, "message": "The input token count (1200000) exceeds the maximum of 1048575."}},
    ),
    "gemini key": (
        "auth",
        400,
        {"error": {"code": 400, "message": "API key not valid. Please pass a valid API key."}},
    ),
    "gemini minute": (
        "rate_limit",
        429,
        {"error": {"code": 429, "message": "You exceeded your current quota. Please retry in 41.9s."}},
    ),
    "mistral": (
        "context",
        400,
        {"object": "error", "message": "Prompt contains 40000 tokens, too large for model with 32768", "code": "3051"},
    ),
    "deepseek": ("quota", 402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}),
    "groq minute": (
        "rate_limit",
        413,
        {"error": {"message": "Request too large: tokens per minute limit 6000", "code": "rate_limit_exceeded"}},
    ),
    "nginx size": ("context", 413, "<html><body>413 Request Entity Too Large</body></html>"),
    "nginx gateway": ("server", 502, "<html><body>502 Bad Gateway</body></html>"),
    "region": ("auth", 403, openai("Country, region, or territory not supported", "unsupported_country")),
}
