# ruff: noqa: RUF001
from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import gymnasium as gym
import pytest

import mua_env
from mua_env.core.tasks import Goal, Request, Task
from mua_env.domain.contract import load_domain
from mua_env.episode.session import Session
from mua_env.episode.setting import load_setting
from mua_env.errors import ConfigError
from mua_env.users.agenda.chinese import LONG, MANNERS, SHORT
from mua_env.users.agenda.nlg.grammar import expand, parse, variants
from mua_env.users.agenda.nlg.personas import PERSONAS
from mua_env.users.agenda.nlg.phrases import LONG as ENGLISH
from mua_env.users.agenda.nlu.glossary import has_chinese
from mua_env.users.agenda.user import AgendaSession, AgendaUser

from .people import FACTS, LAMP, cancel, exchange, redirect

VALUES = {"wish": "W", "fix": "F", "noun": "N", "tail": "T", "wrong": "X", "value": "V", "why": "Y"}
PROPOSAL = "我将为您取消订单 #W1234567，原因：不再需要。请问是否确认？（是/否）"


def start(*requests: Request, domain: str = "retail", facts: Any = None, **options: Any) -> AgendaSession:
    task = Task(id="t", domain=domain, goal=Goal(facts=facts or FACTS, requests=requests, persona="plain"))
    session = AgendaUser(language="zh", **options).start(task, seed=3, context={"domain": load_domain(domain)})
    session.reply(None)
    return session


@pytest.mark.parametrize("act", sorted(LONG))
def test_every_act_has_at_least_twenty_phrasings(act: str) -> None:
    assert LONG.keys() == SHORT.keys() == ENGLISH.keys()
    for table in (LONG, SHORT):
        assert variants(table[act]) >= 20, act
        assert has_chinese(expand(table[act], Random(1), VALUES))
    assert len({expand(LONG[act], Random(seed), VALUES) for seed in range(400)}) >= 20


def test_every_persona_has_its_manner() -> None:
    assert MANNERS.keys() == PERSONAS.keys()
    for parts in MANNERS.values():
        assert all(parse(part) is not None for part in parts)


@pytest.mark.parametrize("persona", sorted(PERSONAS))
@pytest.mark.parametrize("domain", ["retail", "airline", "telecom"])
def test_openings_are_chinese_and_reveal_nothing(domain: str, persona: str) -> None:
    loaded = load_domain(domain)
    user = AgendaUser(language="zh", persona=persona, noise=0.5)
    for seed, task in enumerate(loaded.task_set("generate:level=3:seed=4").tasks[:25]):
        assert task.goal is not None
        text = user.start(task, seed=seed, context={"domain": loaded}).reply(None).text
        assert has_chinese(text)
        assert "\x02" not in text
        assert not any(str(value) in text for value in task.goal.facts.values())


def test_gives_what_is_asked_for_and_only_that_verbatim() -> None:
    session = start(cancel())
    text = session.reply("请提供您的邮箱地址。").text
    assert FACTS["email"] in text
    assert FACTS["zip"] not in text
    text = session.reply("谢谢。请问订单号是多少？").text
    assert "#W1234567" in text
    assert "不再需要" in session.reply("取消的原因是什么？").text
    text = start(redirect()).reply("请提供新的收货地址。").text
    assert "751 Ivy Lane, Unit 585, Tucson, AZ 85760, USA" in text
    assert "Floor Lamp" in start(exchange()).reply("请问要换哪些商品？").text


def test_confirms_what_fits_and_corrects_what_does_not() -> None:
    session = start(cancel())
    assert "是" in session.reply(PROPOSAL).text
    reply = session.reply("订单 #W1234567 已成功取消。还有其他可以帮您的吗？")
    assert reply.stop
    text = start(cancel()).reply(PROPOSAL.replace("#W1234567", "#W7777777")).text
    assert "#W1234567" in text
    assert not start(cancel()).reply("已为您取消订单 #W9999999。").stop
    assert "不再需要" in start(cancel()).reply(PROPOSAL.replace("不再需要", "下错单")).text


def test_a_refusal_needs_a_reason() -> None:
    session = start(cancel(outcome="refused"))
    assert session.reply("抱歉，我无法办理。").events == ()
    assert session.reply("因为订单已经送达。").events == ("refusal:cancel_order",)
    reply = start(cancel(outcome="refused")).reply("很抱歉，由于订单已发货，无法取消。")
    assert reply.events == ("refusal:cancel_order",)
    sold_out = start(exchange(fallback=exchange(slots={"items": [LAMP]})))
    assert "Floor Lamp" in sold_out.reply("抱歉，Teapot 目前缺货。").text


def test_noise_leaves_values_whole() -> None:
    parts = 0
    for seed in range(60):
        task = Task(id=f"t{seed}", domain="retail", goal=Goal(facts=FACTS, requests=(cancel(),), persona="chatty"))
        session = AgendaUser(language="zh", noise=1.0).start(task, seed=seed, context={"domain": load_domain("retail")})
        assert FACTS["email"] in session.reply("请提供您的邮箱。").text
        text = session.reply("请问订单号是多少？").text
        parts += "#W1234567" not in text
        assert "4567" in text
        assert "#W1234567" in session.reply("请提供完整的订单号。").text
    assert 5 < parts < 55


def _airline(script: Sequence[tuple[str, str]], request: Request) -> None:
    session = start(request, domain="airline", facts={"user_id": "mei_kim_1234"})
    for agent, expected in script:
        assert expected in session.reply(agent).text, agent


def test_an_airline_dialogue_in_chinese() -> None:
    visa = {"id": "credit_card_1234567", "source": "credit_card", "brand": "visa", "last_four": "4421"}
    slots = {"reservation_id": "QX7RT2", "cabin": "business", "payment": [visa]}
    _airline(
        [
            ("请提供您的用户 ID。", "mei_kim_1234"),
            ("请问您的预订号是多少？", "QX7RT2"),
            ("请问要升级到哪个舱位？", "商务舱"),
            ("请问使用哪种支付方式？", "4421"),
            ("将预订 QX7RT2 的舱位改为经济舱，您同意吗？", "商务舱"),
            ("将预订 QX7RT2 的舱位改为商务舱，用 Visa 尾号 4421 支付。您同意吗？", "是"),
        ],
        Request(intent="change_cabin", slots=slots),
    )
    _airline(
        [("请问取消的原因是什么？", "计划"), ("请问您的预订号是多少？", "QX7RT2")],
        Request(intent="cancel_reservation", slots={"reservation_id": "QX7RT2", "reason": "change_of_plans"}),
    )


@pytest.mark.parametrize("level", [1, 2, 3, 5])
@pytest.mark.parametrize("name", ["retail", "airline", "telecom"])
def test_the_chinese_expert_solves_tasks(name: str, level: int) -> None:
    setting = load_setting(name, f"generate:level={level}:seed=8")
    session = Session(setting, AgendaUser(language="zh"))
    agent = load_domain(name).expert(language="zh")  # type: ignore[call-arg]
    solved = 0
    for seed in range(12):
        agent.reset(system_prompt=session.system_prompt, tools=session.tools, seed=seed)
        step = session.start(setting.tasks[seed], seed=seed)
        while not step.done:
            message = agent.act(step.messages)
            assert message.content is None or has_chinese(message.content)
            step = session.send(message)
        solved += bool(step.score and step.score.success)
    assert solved >= 11


def test_unknown_languages_are_refused_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="'en', 'zh'"):
        AgendaUser(language="fr")
    with pytest.raises(ConfigError, match="'en', 'zh'"):
        load_domain("airline").language.spoken("fr")
    for name in ("retail", "airline", "telecom"):
        with pytest.raises(ConfigError, match="'en', 'zh'"):
            load_domain(name).expert(language="fr")  # type: ignore[call-arg]


def test_gym_make_takes_the_language() -> None:
    assert mua_env
    env = gym.make("MUA/Retail-v1", user_options={"language": "zh"})
    observation, _ = env.reset(seed=1)
    assert has_chinese(str(observation))
    env.close()
