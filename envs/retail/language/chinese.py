"""Chinese for the retail domain: what the user says, and how an agent's text is read."""

# ruff: noqa: E501, RUF001

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from mua_env.users.agenda.chinese import CHINESE
from mua_env.users.agenda.language import Slot
from mua_env.users.agenda.nlg.personas import Voice
from mua_env.users.agenda.nlu.glossary import Glossary, read_through

from . import RetailLanguage, matching
from .slots import SLOTS

Record = Mapping[str, Any]

_NOUNS: Glossary = (
    (r"(?:电子邮箱|电子邮件|邮箱|邮件|email|Email|E-?mail)(?:的)?(?:地址|账号)?", " email "),
    (r"邮政编码|邮编|邮政编号", " zip code "),
    (r"(?:姓和名|名和姓|全名|姓名|名字)", " your full name "),
    (r"(?:用户|账户|会员|客户)\s*(?:ID|id|名|编号|号码|号)", " user id "),
    (r"电话号码|手机号码?|电话", " phone number "),
    (r"(?:订单)(?:的)?(?:编号|号码|号|ID|id)", " order number "),
    (r"哪(?:一)?(?:个|笔|张|单|份)?(?:待处理|已送达)?的?订单", " which order "),
    (r"(?:待处理)(?:的|状态)?", " pending "),
    (r"不再需要|不需要了|用不上了|不想要了", " no longer needed "),
    (r"(?:误下单|下错(?:了)?单|误买|误操作|错误下单|买错|误订|误下)", " ordered by mistake "),
    (r"(?:取消|退货)?(?:的)?(?:原因|理由)", " reason "),
    (r"为什么(?:要|想)?(?:取消|退)|为何(?:要|想)?(?:取消|退)", " why do you cancel "),
    (r"(?:具体)?哪(?:一)?(?:几|些)?(?:件|个|样|款)?(?:商品|物品|东西|产品)|哪(?:几|一)?(?:件|样)|哪些|什么(?:商品|物品|东西|产品)"
     r"|(?:所有|全部|每件|具体)(?:要|需要|想)?[^,.?!]{0,8}的?(?:商品|物品|产品)|(?:商品|物品|产品)(?:名称|清单|名)", " which items "),
    (r"(?:什么|哪(?:一)?(?:种|个|款)|何种|新的?|想要的?|替换的?)(?:样的)?的?(?:新)?(?:颜色|尺寸|尺码|规格|款式|选项|型号|配置|材质|版本|款)", " which new options "),
    (r"换成(?:什么|哪(?:一)?(?:种|个|款)?)(?:样的)?", " exchange for which new options "),
    (r"(?:支付|付款|退款|收款)(?:的)?(?:方式|方法|账户|渠道)", " payment method "),
    (r"(?:原|原来的?|原始)支付", " original payment "),
    (r"(?:退|退款)(?:到|至)(?:哪里|哪儿|哪(?:张|个))|怎么(?:支付|付款)|如何(?:支付|付款)", " refund to which payment method "),
    (r"差价|差额", " price difference "),
    (r"礼品卡|购物卡|礼物卡", " gift card "),
    (r"信用卡", " credit card "),
    (r"贝宝", " PayPal "),
    (r"默认(?:的)?(?:收货)?地址|个人资料(?:中|里)?的?地址", " default address "),
    (r"(?:新的?)?(?:收货|配送|邮寄|送货|寄送)?地址", " address "),
    (r"(?:街道|城市|门牌)", " street "),
    (r"(?:选项|规格|款式)", " options "),
    (r"颜色", " color "),
    (r"(?:商品|物品|产品)", " item "),
    (r"订单", " order "),
    (r"(?:账户|账号|个人资料|用户)(?:信息)?", " account "),
)  # fmt: skip
_VERBS: Glossary = (
    (r"取消", " cancel "),
    (r"退货|退回|退掉|退还", " return "),
    (r"退款", " refund "),
    (r"换货|调换|换成|换为|更换(?=.{0,6}(?:item|商品))", " exchange "),
    (r"(?:修改|更改|变更|改成|改为|更新|改|更换|换)", " change to "),
    (r"退", " return "),
    (r"(?:寄到|送到|发到|配送)", " ship to "),
)

_NAMES = MappingProxyType(
    {
        "first_name": "名字", "last_name": "姓氏", "name": "姓名", "zip": "邮编", "email": "邮箱", "user_id": "用户编号",
        "phone": "电话号码", "order_id": "订单号", "reason": "原因", "items": "商品", "item_options": "商品的规格",
        "new_options": "新的规格", "one": "哪一个", "payment_method": "支付方式", "address": "地址", "product": "产品",
    }
)  # fmt: skip
_GIVEN: Mapping[str, str] = MappingProxyType(
    {
        "name": "[我叫|我是|姓名是|我的名字是|姓名：]{value}。",
        "email": "[我的邮箱是|邮箱：|邮箱是|用的邮箱是|登记的是] {value} 。",
        "zip": "[邮编是|我的邮编是|邮编：|邮政编码是] {value} 。",
        "order_id": "[订单号是|订单是|订单号：|我的订单号是] {value} 。",
        "reason": "[原因是|因为|理由是|原因：]{value}。",
        "address": "[新地址是|地址是|地址：|请用这个地址：]{value}。",
        "payment_method": "[请用|用|我想用|就用]{value}。",
        "new_options": "[我想要|我要|换成|希望是]{value}。",
        "item_options": "[我说的是|是|指的是|就是]{value}。",
    }
)
_REASONS = MappingProxyType({"no longer needed": "不再需要了", "ordered by mistake": "下错单了"})
_ORDER = "[一个订单|我的一个订单|我的订单|一笔订单]"
_WISHES: Mapping[str, str] = MappingProxyType(
    {
        "cancel_order": f"取消{_ORDER}",
        "return_items": f"退货，是{_ORDER}里的{{things}}",
        "exchange_items": f"换货，是{_ORDER}里的{{things}}",
        "modify_items": "修改[一个|我的一个]待处理订单里的{things}",
        "modify_order_address": f"修改{_ORDER}的[收货|]地址",
        "modify_order_payment": f"修改{_ORDER}的[支付|付款]方式",
        "modify_user_address": "修改[我的默认地址|个人资料里的地址]",
        "human": "[找人工客服|跟人工客服说话]",
        "ask:order_status": f"[了解|查一下|知道]{_ORDER}的状态",
        "ask:order_total": f"[了解|查一下|知道]{_ORDER}的总价",
        "ask:tracking_number": f"[了解|查一下|知道]{_ORDER}的物流单号",
        "ask:product_options_count": "知道[一种|某种]产品有多少种选项",
        "ask:delivery_address": f"[了解|查一下|知道]{_ORDER}的收货地址",
    }
)
_BRANDS = MappingProxyType({"visa": "Visa", "mastercard": "Mastercard", "amex": "Amex"})


def _slot(slot: Slot) -> Slot:
    noun = _NAMES[slot.name]
    given = _GIVEN.get(slot.name, f"[{noun}是|是|就是|{noun}：]{{value}}。")
    return replace(slot, noun=noun, short=f"[{{value}}。|{given}]", long=given, piece="{value}")


class RetailChinese(RetailLanguage):
    """Chinese for the retail domain. Names, ids, addresses and option values stay as the data has them."""

    code = "zh"
    locale = CHINESE
    slots: Mapping[str, Slot] = MappingProxyType({name: _slot(slot) for name, slot in SLOTS.items()})

    def translations(self) -> Mapping[str, Any]:
        """Back to English."""
        return {"en": lambda: RetailLanguage(self.products)}

    def hear(self, text: str) -> str:
        """Chinese with the cue words of the domain."""
        return read_through(text, _NOUNS, _VERBS)

    def wish(self, intent: str, slots: Mapping[str, Any], voice: Voice) -> str:
        """The request as a verb phrase."""
        key = f"ask:{slots.get('topic')}" if intent == "ask" else intent
        several = len(slots.get("items") or ()) > 1
        things = voice.say("[几件商品|一些商品|几样东西]" if several else "[一件商品|一样东西]")
        return voice.say(_WISHES.get(key, "问一个问题"), things=things)

    def value(self, slot: str, source: Mapping[str, Any], voice: Voice, *, about: str = "") -> str | None:
        """How a person says the value of a slot."""
        items = source.get("items") or ()
        if slot in ("item_options", "new_options"):
            named = matching.names_in(about, [item["name"] for item in items]) if about else []
            return _options(slot, [item for item in items if item["name"] in named] or items, voice)
        if slot == "items":
            return _items(items, voice)
        if slot == "payment_method" and source.get(slot):
            return _method(source[slot], voice)
        if slot == "reason" and source.get(slot) in _REASONS:
            return voice.keep(_REASONS[source[slot]])
        return super().value(slot, source, voice, about=about)

    def hint(self, slot: str, slots: Mapping[str, Any], voice: Voice) -> str | None:
        """An order of unknown number is named by what is in it."""
        found = slots.get("order_hint") or [item["name"] for item in slots.get("items") or ()]
        names = [found] if isinstance(found, str) else [_name(item) for item in found]
        if slot != "order_id" or not names:
            return None
        said = "和".join(f" {voice.keep(name)} " for name in names)
        return voice.say("[是里面有|就是有|订单里有]{names}的[那个订单|那一单]。", names=said)


def _name(item: Any) -> str:
    return str(item["name"]) if isinstance(item, Mapping) else str(item)


def _spell(values: Record, keys: Sequence[str], voice: Voice) -> str:
    return voice.keep(", ".join(f"{key} {values[key]}" for key in keys))


def _items(items: Sequence[Record], voice: Voice) -> str | None:
    names = [item["name"] for item in items]
    parts = []
    for item in items:
        twin = names.count(item["name"]) > 1 and item.get("options")
        detail = f" ({_spell(item['options'], list(item['options']), voice)})" if twin else ""
        parts.append(f" {voice.keep(item['name'])}{detail} ")
    return "和".join(parts) or None


def _options(slot: str, items: Sequence[Record], voice: Voice) -> str | None:
    parts = []
    for item in items:
        old, new = item.get("options") or {}, item.get("new_options") or {}
        values = old if slot == "item_options" else new
        keys = list(values) if slot == "item_options" else [k for k in new if new[k] != old.get(k)] or list(new)
        if values:
            alone = slot == "new_options" and len(items) == 1
            said = _spell(values, keys, voice)
            parts.append(f" {said} " if alone else f" {voice.keep(item['name'])}: {said} ")
    return "；".join(parts) or None


def _method(payment: Record, voice: Voice) -> str:
    source = payment.get("source")
    if source == "paypal":
        return voice.say("[|我的]{v}", v=voice.keep(" PayPal "))
    if source == "gift_card":
        return voice.say("[|我的]{v}", v=voice.keep("礼品卡"))
    brand, digits = _BRANDS.get(str(payment.get("brand", "")), "信用卡"), payment.get("last_four")
    return voice.say("[|我的]{v}", v=voice.keep(f" {brand}（尾号 {digits}）" if digits else "信用卡"))


__all__ = ["RetailChinese"]
