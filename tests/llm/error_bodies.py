"""How endpoints refuse: status and body of each kind, in the forms of the servers that send them (values are ours).

What is ``context`` here is so for a request of some 3,500 tokens; the same words are an untruth about a short one.
"""

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
    "anthropic context": ("context", 400, anthropic("prompt is too long: 3900 tokens > 3000 maximum")),
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
        {"error": {"message": "This endpoint's maximum context length is 3072 tokens.", "code": 400}},
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
        {"error": {"code": 400, "message": "The input token count (4100) exceeds the maximum of 4000."}},
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
        {"object": "error", "message": "Prompt contains 4000 tokens, too large for model with 2048", "code": "3051"},
    ),
    "deepseek": ("quota", 402, {"error": {"message": "Insufficient Balance", "type": "unknown_error"}}),
    "groq minute": (
        "rate_limit",
        413,
        {"error": {"message": "Request too large: tokens per minute limit 6000", "code": "rate_limit_exceeded"}},
    ),
    "nginx size": ("context", 413, "<html><body>413 Request Entity Too Large</body></html>"),
    "nginx gateway": ("server", 502, "<html><body>502 Bad Gateway</body></html>"),
    "vllm completion": ("context", 400, vllm("Please reduce the length of the messages or completion.")),
    "vllm both": (
        "context",
        400,
        vllm("The maximum context length is 4096 tokens. However, there are 3700 input tokens plus 512 'max_tokens'."),
    ),
    "vllm memory": ("bad_request", 400, vllm("There is not enough memory for a context of 32768.")),
    "sglang requested": (
        "context",
        400,
        vllm("Requested token count exceeds the model's maximum context length of 4096 tokens (3600 of input)."),
    ),
    "tgi both": (
        "context",
        422,
        {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3900", "code": 9},
    ),
    "llama.cpp counts": (
        "context",
        400,
        {"error": {"message": "Request too large: n_prompt_tokens 9000 n_ctx 8192", "type": "none"}},
    ),
    "llama.cpp fields": (
        "context",
        400,
        {"error": {"code": 400, "message": "Sorry.", "n_prompt_tokens": 4000, "n_ctx": 2048}},
    ),
    "llama.cpp shift": (
        "context",
        500,
        {"error": {"code": 500, "message": "context shift is disabled", "type": "server_error"}},
    ),
    "llama.cpp template": (
        "server",
        500,
        {"error": {"code": 500, "message": "the template failed at row 12, column 40", "type": "server_error"}},
    ),
    "lm studio n_keep": ("context", 400, {"error": "The context is too small: n_keep: 3901 >= n_ctx: 3072"}),
    "xai": ("context", 400, {"code": "none", "error": "The maximum prompt length is 3000 but there are 3600 tokens."}),
    "cerebras": (
        "context",
        400,
        {"message": "Please shorten the messages. Current length is 3900 while limit is 2048", "code": "none"},
    ),
    "dashscope": ("context", 400, openai("Range of input length should be [1, 3072]", "invalid_parameter_error")),
    "dashscope chinese": ("context", 400, openai("输入长度超过限制", "invalid_parameter_error")),
    "minimax": ("context", 400, openai("invalid params, context window exceeds limit", "2013")),
    "moonshot": ("context", 400, openai("Your request exceeded model token limit: 4096", "invalid_request_error")),
    "copilot": ("context", 400, openai("The prompt token count of 3600 exceeds the limit of 2048", "no_code")),
    "bedrock": ("context", 400, {"message": "Too many input tokens. Max input tokens: 2048, request has 3600"}),
    "bedrock characters": (
        "context",
        400,
        {"message": "Malformed input request: expected maxLength: 9000, actual: 13700, please reformat it."},
    ),
    "bedrock throttle": ("rate_limit", 429, {"message": "Too many tokens, please wait before trying again."}),
    "litellm proxy body": ("context", 413, {"error": {"message": "Request body too large: 14100 bytes, limit 12000"}}),
    "context by 429": ("context", 429, openai("The prompt has 3700 tokens, the context is limited to 2048", "no_code")),
    "openai day": (
        "rate_limit",
        429,
        openai("Request too large for the tokens per day: Limit 2000, Requested 3600", "rate_limit_exceeded"),
    ),
    "a name too long": ("bad_request", 400, openai("A function's name is longer than the maximum of 64 tokens")),
    "a long list of tools": ("bad_request", 400, openai("The list of tools is too long")),
    "a large picture": ("bad_request", 400, openai("The image's tokens exceed the maximum")),
    "a large header": ("bad_request", 400, "<html><head><title>400 Request Header Too Large</title></head></html>"),
    "stop words": ("bad_request", 400, openai("There are more than the maximum of 4 stop sequences")),
    "region": ("auth", 403, openai("Country, region, or territory not supported", "unsupported_country")),
    "anthropic month": (
        "quota",
        400,
        anthropic("You have reached your specified API usage limits. Access comes back on 2031-01-01 at 00:00 UTC."),
    ),
    "openrouter more": ("quota", 400, {"error": {"message": "This call requires more credits, or fewer max_tokens"}}),
    "proxy budget": ("quota", 400, openai("Budget has been exceeded! Current cost: 2.5", None, "budget_exceeded")),
    "zhipu": (
        "quota",
        429,
        {"error": {"code": "1113", "message": "No package left for the account. Please recharge."}},
    ),
    "moonshot suspended": ("quota", 429, openai("Your account is suspended.", None, "exceeded_current_quota_error")),
    "dashscope arrears": ("quota", 400, openai("The account is not in good standing.", "Arrearage")),
    "hugging face": ("quota", 402, {"error": "Your monthly included credits are used up."}),
    "gemini key by reason": (
        "auth",
        400,
        {
            "error": {
                "code": 400,
                "message": "Sorry.",
                "status": "INVALID_ARGUMENT",
                "details": [{"reason": "API_KEY_INVALID"}],
            }
        },
    ),
    "azure gateway": ("auth", 400, {"error": {"message": "Access denied due to an invalid subscription key."}}),
    "sdk without a key": (
        "auth",
        500,
        openai("The api_key client option must be set, by its argument or the environment."),
    ),
    "bedrock token": ("auth", 400, {"__type": "x", "code": "ExpiredTokenException", "message": "Sorry."}),
    "a revoked token": ("auth", 400, openai("Unauthorized: the API token was revoked.")),
    "aws token": ("auth", 400, {"message": "The security token that came with it is invalid."}),
    "prepaid": ("quota", 403, openai("Your prepaid balance is depleted.")),
    "an allowance": ("quota", 429, openai("The allowance of the free tier is used up.", "quota_exhausted")),
    "no access": ("auth", 403, openai("This project has no access to the model.")),
    "a trial": ("quota", 400, openai("Your free trial has ended.")),
    "rates without a code": ("rate_limit", 400, openai("The limit of tokens per minute is exceeded.")),
    "a busy server": ("server", 503, openai("Too many requests wait for the context's maximum of slots.")),
    "text alone": ("bad_request", 400, openai("This model takes no tools; limit the request to text content.")),
    "too many turns": ("bad_request", 422, openai("The list of messages should have at most 100 items.")),
}
