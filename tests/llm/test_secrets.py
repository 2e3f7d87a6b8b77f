"""No key stands in what is written or shown, whoever echoes it."""

from __future__ import annotations

import base64
import json
import logging
from urllib.parse import quote

import pytest
from loopback import Loopback, Status
from shop.domain import shop
from shop.user import ShopUser

from mua_env.agents.llm import LLMAgent
from mua_env.agents.random import RandomAgent
from mua_env.core.redaction import HIDDEN, scrub, without_secrets
from mua_env.episode.setting import load_setting
from mua_env.evaluation.rollout_folder import RolloutFolder
from mua_env.evaluation.rollouts import plan, run_rollout
from mua_env.llm import ChatRequest, LLMClient, LLMError, LLMSettings
from mua_env.users.llm.user import LLMUser

KEY = "k0ngregation-of-7-plain-words"
"""A key that has no form of its own: it is found because it was given to the client."""


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422, 500])
@pytest.mark.parametrize("whose", ["user", "agent"])
def test_a_key_that_a_server_echoes_reaches_neither_results_nor_output(
    settings_for, tmp_path, capfd, caplog, code, whose
):
    caplog.set_level(logging.INFO)
    said = Status(code, message=f"{'x' * 200} no account for {KEY}; Authorization: Bearer {KEY}")
    with Loopback(default=said) as server:
        client = LLMClient(settings_for(server, api_key=KEY, attempts=2))
        setting = load_setting(shop, "train")
        folder = RolloutFolder(tmp_path / "run", {"user_options": {"model": "m", "api_key": KEY}})
        run_rollout(
            setting,
            LLMUser(client, strategy="llm") if whose == "user" else ShopUser(),
            (lambda: LLMAgent(client)) if whose == "agent" else (lambda: RandomAgent()),
            plan(setting.tasks, limit=2),
            on_end=folder.writer.write,
        )
        summary = folder.summarize()
        folder.close()
    assert sum(summary.faults.values()) == 2
    written = "".join(path.read_text() for path in (tmp_path / "run").iterdir())
    assert "no account for [hidden]" in written
    out, err = capfd.readouterr()
    for text in (written, out, err, caplog.text):
        assert KEY not in text
        assert KEY[:12] not in text


def test_a_key_is_gone_before_a_long_error_is_cut(settings_for):
    with Loopback(default=Status(401, message="x" * 268 + KEY)) as server:
        client = LLMClient(settings_for(server, api_key=KEY, attempts=1))
        with pytest.raises(LLMError) as caught:
            client.complete(ChatRequest(messages=[{"role": "user", "content": "hi"}]), client.wait_limit())
    assert KEY[:6] not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-abcdefghijklmnop1234",
        "sk-ant-api03-AAAABBBBCCCCDDDD-_x",
        "sk-abcd****************wxyz",
        "gsk_abcdefghij1234567890",
        "hf_abcdefghijklmnop",
        "xai-abcdefghijkl1234",
        "AIzaSyA-abcdefghijklmnopqrstuvwxyz01234",
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_abcdefghijklmnopqrst",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
    ],
)
@pytest.mark.parametrize("text", ["Incorrect API key provided: {}.", "denied ({}), try again", '{{"key": "{}"}}', "{}"])
def test_keys_are_known_by_their_form(key, text):
    assert key.rstrip(".") not in scrub(text.format(key))
    assert HIDDEN in scrub(text.format(key))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("GET https://host/v1?key=abcdef123456&x=1", "abcdef123456"),
        ("postgresql://me:hunter22@db:5432/x refuses", "hunter22"),
        ("authorization: Bearer abc.def.ghi", "abc.def.ghi"),
        ("proxy-authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA=="),
        ('{"api_key": "9f86d081884c7d659a2feaa0c55ad015"}', "9f86d081884c7d659a2feaa0c55ad015"),
        ('{\\"apiKey\\": \\"9f86d081884c7d65\\"}', "9f86d081884c7d65"),
        ("{'clientSecret': 'correct horse'}", "correct horse"),
        ('{"authorization": "Token q1w2e3"}', "q1w2e3"),
        ("headers: x-api-key: plainwordkey, accept: */*", "plainwordkey"),
        ("Token 9944b09199c62bcf9418 is not known", "9944b09199c62bcf9418"),
        ("login as ana, password: tulip", "tulip"),
        ("user=ana pass=tulips", "tulips"),
        ("PGPASSWORD=tulips psql", "tulips"),
        ("host=db password='tu lips' dbname=x", "tu lips"),
        ("https://store.example/blob?sv=2024&sig=aB%2Fc%3D&se=1", "aB%2Fc%3D"),
        ("AWS_SECRET_ACCESS_KEY=abcd/efgh+ijkl", "abcd/efgh+ijkl"),
        ("the pair AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI/K7MDENG"),
        ("postgresql://ana:tu@lip@s@db.example:5432/x", "tu@lip@s"),
        ("redis://:tulips@cache:6379/0", "tulips"),
        ("https://oauth2tokenvalue99@git.example/x", "oauth2tokenvalue99"),
        ("Ocp-Apim-Subscription-Key: 0123456789abcdef", "0123456789abcdef"),
        ("Incorrect API key provided: tulips99.", "tulips99"),
        ("session_token => 'tulips'", "tulips"),
        ("Cookie: sid=tulips99", "tulips99"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIEtulips\n-----END RSA PRIVATE KEY-----", "MIIEtulips"),
    ],
)
def test_secrets_are_known_by_what_stands_before_them(text, secret):
    assert secret not in scrub(text)


@pytest.mark.parametrize("known", ["tulip-field-77", "ana:tulip/field 77"])
def test_a_known_key_is_known_in_base64_and_in_a_url(known):
    LLMSettings("m", api_key=known)
    for before in ("", "ana:", "x"):
        plain = f"{before}{known}".encode()
        for packed in (base64.b64encode(plain).decode(), base64.urlsafe_b64encode(plain).decode().rstrip("=")):
            assert packed.rstrip("=") not in scrub(f"refused: Basic {packed} (no such account)")
            assert packed.rstrip("=") not in scrub(f"refused: {packed}")
    assert quote(known, safe="") not in scrub(f"GET /v1?account={quote(known, safe='')}")


def test_a_key_of_the_environment_is_known_by_its_value(monkeypatch):
    monkeypatch.setenv("SOMEBODYS_API_KEY", "0123456789abcdef0123456789abcdef")
    assert scrub("key 0123456789abcdef0123456789abcdef is wrong") == "key [hidden] is wrong"


@pytest.mark.parametrize("given", ["extra", "header"])
def test_a_key_among_further_arguments_is_known(given):
    key = f"unlikely-{given}-value"
    extra = {"aws_secret_access_key": key} if given == "extra" else {"extra_headers": {"Authorization": f"Token {key}"}}
    LLMSettings("m", extra=extra)
    assert str(LLMError("auth", f"bad {key}")) == "auth: bad [hidden]"


@pytest.mark.parametrize(
    "text",
    [
        "no complete answer within the time limit",
        "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens",
        "the disk-usage of task-1234567890 is high; see https://example.org/a:b/c@d",
        "$0.5000 spent, the limit is $0.5",
        "order #W4601797 of ana.lopez@example.com costs $1,299.00 and ships to 94103",
        '{"order_id": "#W4601797", "email": "ana_lopez1234@example.com", "price": 1299.5}',
        '{"key": "#W4601797"}',
        "missing key: order_id",
        "the token count: 8192 tokens, max_tokens=4096, prompt_tokens: 12000",
        "unexpected token: 'reservation'",
        "basic information and a basic economy fare; a token of thanks; the bearer of this",
        "password: Field required",
        "Missing credentials: set OPENAI_API_KEY or pass an `api_key`",
        '{"password": "This field is required."}',
        "pass^4=0.512, pass=4/5, pass: 3 of 5",
        'duplicate key value violates unique constraint "pk_reservations_items"',
        "hf_hub_download failed for asiapacificregion; keyword: monkey=banana",
        "request req_011CSHoEeqs5C35K2UUqR7Fy, commit 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
        "http://127.0.0.1:8000/v1/chat/completions and http://host:8080?mail=a@b.example",
        "payment_method: credit_card_1234567, user: ana_lopez_1234, gift_card_9876543",
        "/usr/lib/python3/dist-packages/Some/Path/To/A/Module9",
    ],
)
def test_ordinary_words_stay(text):
    LLMSettings("m", api_key="none")
    assert scrub(text) == text


def test_settings_are_written_without_their_keys():
    options = {
        "model": "m",
        "api_key": KEY,
        "max_tokens": 5,
        "extra": {"headers": [{"X-Api-Key": KEY}], "Authorization": KEY},
        "password_reset": True,
    }
    shown = without_secrets(options)
    assert KEY not in json.dumps(shown)
    assert shown["max_tokens"] == 5
    assert shown["password_reset"] is True
