"""租房：租客报修、续租、退租，并查询房租。A landlord's desk, described in Chinese."""

# ruff: noqa: RUF001, RUF002

from __future__ import annotations

import datetime
from random import Random
from typing import Annotated, Any, Literal

from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mua_env import DescribedDomain, DescribedToolkit, Question, Wish, kinds, obeys, rule, tool

Row = dict[str, Any]


class Base(DeclarativeBase): ...


class Tenant(Base):
    __tablename__ = "tenants"
    tenant_id: Mapped[str] = mapped_column(primary_key=True)
    phone: Mapped[str]


class Lease(Base):
    __tablename__ = "leases"
    lease_id: Mapped[str] = mapped_column(primary_key=True)
    tenant_id: Mapped[str]
    street: Mapped[str]
    rent: Mapped[int]
    owed: Mapped[int]
    months: Mapped[int]
    status: Mapped[str]
    repair: Mapped[str]


LEASE = kinds.Key("合同号", "HT-#####", of=Lease, owner="tenant_id", listed_by="list_leases",
            contents=lambda lease: [lease["street"]], asked="哪[一]?份合同")  # fmt: skip
LeaseId = Annotated[str, LEASE]
Fault = Annotated[Literal["水管", "电路", "暖气", "门锁"], kinds.Choice("故障类型")]
Visit = Annotated[str, kinds.Date("上门日期", "2026-03-02", "2026-04-30")]
Months = Annotated[int, kinds.Count("续租时长", 1, 24, unit="个月")]


@rule(
    "running-only", "只有生效中的合同才能办理。", "到期|终止|失效|不在生效", refusal="合同{lease[status]}，不在生效中"
)
def running(lease: Row) -> bool:
    return bool(lease["status"] == "生效中")


@rule("nothing-owed", "欠租未付清的，不能续租或退租。", "欠租|欠费|欠款|拖欠|付清", refusal="还欠租{lease[owed]}元")
def nothing_owed(lease: Row) -> bool:
    return not lease["owed"]


@rule("a-year", "一次续租不超过十二个月。", "十二|12|一年|太长|最长", refusal="一次最多续租十二个月")
def a_year(months: int) -> bool:
    return months <= 12


@rule("workday", "维修只在周一至周五上门。", "周末|周六|周日|周一至周五|工作日", refusal="那天是周末")
def workday(day: datetime.date) -> bool:
    return day.weekday() < 5


class Desk(DescribedToolkit):
    @tool
    def find_tenant(self, phone: Annotated[str, kinds.Phone("手机号", asked="电话号?码?|手机")]) -> str:
        """按手机号查找租客，返回编号。"""
        return str(self.only(Tenant, phone=phone)["tenant_id"])

    @tool
    def list_leases(self, tenant_id: Annotated[str, kinds.Caller("租客编号", of=Tenant)]) -> list[Row]:
        """租客的所有合同。"""
        return self.db.find(Lease, Lease.tenant_id == tenant_id)

    @tool
    def get_lease(self, lease_id: LeaseId) -> Row:
        """一份合同。"""
        return self.row(Lease, lease_id)

    @tool(writes=True)
    @obeys(running, workday)
    def order_repair(self, lease_id: LeaseId, fault: Fault, day: Visit) -> Row:
        """登记报修。"""
        return self.save(Lease, lease_id, repair=f"{day} {fault}")

    @tool(writes=True)
    @obeys(running, nothing_owed, a_year)
    def extend_lease(self, lease_id: LeaseId, months: Months) -> Row:
        """续租若干个月。"""
        return self.save(Lease, lease_id, months=self.at["lease"]["months"] + months)

    @tool(writes=True)
    @obeys(running, nothing_owed)
    def end_lease(self, lease_id: LeaseId) -> Row:
        """终止合同。"""
        return self.save(Lease, lease_id, status="已终止")


class Flats(DescribedDomain):
    name, version, models, toolkit, users, code = "flats", 0, Base, Desk, Tenant, "zh"
    identify = "find_tenant"
    wishes = {
        "order_repair": Wish("登记 报修", "登记报修", phrase="[报修|报个修|申请维修]", also="安排|预约"),
        "extend_lease": Wish("办理 续租", "办理续租", phrase="[续租|把租期延长一些]", also="延长"),
        "end_lease": Wish("办理 退租", "办理退租", phrase="[退租|终止租房合同]", also="终止|解除"),
        "ask_rent": Question("[知道|问一下]每个月的房租是多少", "get_lease", "rent", "月租"),
    }

    def data(self) -> dict[str, list[Row]]:
        rng, streets = Random(0), ("人民路", "解放街", "长江路", "中山路", "和平里", "新华街", "建设路", "文化街")
        people = [{"tenant_id": f"t{n}", "phone": f"138{n:04d}{n * 37 % 10000:04d}"} for n in range(150)]
        leases = {}
        for who in people:
            for street in rng.sample(streets, rng.randint(2, 5)):
                key = LEASE.new(rng)
                leases[key] = {"lease_id": key, "tenant_id": who["tenant_id"], "street": street, "repair": "",
                               "rent": rng.randrange(1500, 6000, 10), "owed": rng.choice((0, 0, 0, 800)), "months": 12,
                               "status": rng.choice(("生效中", "生效中", "生效中", "已到期"))}  # fmt: skip
        return {"tenants": people, "leases": list(leases.values())}


domain = Flats()
