"""A bank of the same layout as tau2-bench's banking_knowledge, written here: a few tools, documents and tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA_MODEL = """
from pathlib import Path
from typing import Any, Dict

from pydantic import BaseModel, Field

from tau2.environment.db import DB


class KnowledgeBase(BaseModel):
    @classmethod
    def load(cls, folder):
        return [open(path).read() for path in Path(folder).glob("*.json")]


class DatabaseTable(BaseModel):
    data: Dict[str, Dict[str, Any]] = Field(default_factory=dict)
    notes: str = ""


class TransactionalDB(DB):
    users: DatabaseTable = Field(default_factory=DatabaseTable)
    accounts: DatabaseTable = Field(default_factory=DatabaseTable)
    verified: DatabaseTable = Field(default_factory=DatabaseTable)
    given: DatabaseTable = Field(default_factory=DatabaseTable)
    called: DatabaseTable = Field(default_factory=DatabaseTable)
    disputes: DatabaseTable = Field(default_factory=DatabaseTable)
    applications: DatabaseTable = Field(default_factory=DatabaseTable)
"""
DB_QUERY = """
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tau2.domains.banking_knowledge.data_model import TransactionalDB


def found(db: "TransactionalDB", table: str, key: str) -> str:
    row = getattr(db, table).data.get(key)
    return "No records found" if row is None else json.dumps(row)
"""
UTILS = """
from datetime import datetime

from tau2.utils.utils import DATA_DIR

FOLDER = DATA_DIR / "tau2"


def today() -> str:
    return datetime(2025, 11, 14).strftime("%m/%d/%Y")
"""
TOOLS = '''
import json
from typing import Literal

from tau2.domains.banking_knowledge.data_model import TransactionalDB
from tau2.domains.banking_knowledge.db_query import found
from tau2.domains.banking_knowledge.utils import today
from tau2.environment.toolkit import (
    MUTATES_STATE_ATTR,
    ToolKitBase,
    ToolType,
    is_discoverable_tool,
    is_tool,
)

Reason = Literal["fraud", "other"]


class KnowledgeTools(ToolKitBase):
    db: TransactionalDB

    def __init__(self, db: TransactionalDB) -> None:
        super().__init__(db)
        self._unlocked = set()
        self._logged = set()

    def set_read_log_allowlist(self, allowlist):
        self._logged = set(allowlist or [])

    @is_tool(ToolType.GENERIC)
    def transfer_to_human_agents(self, summary: str, reason: Reason = "other") -> str:
        """Hand over to a human.

        Args:
            summary: What it is about.
            reason: Why.
        """
        return f"Transferred ({reason})."

    @is_tool(ToolType.READ)
    def get_user(self, user_id: str) -> str:
        """A customer's record.

        Args:
            user_id: Whose.
        """
        return found(self.db, "users", user_id)

    @is_tool(ToolType.WRITE)
    def log_verification(self, name: str, user_id: str, email: str, phone_number: str, date_of_birth: str) -> str:
        """Log that a customer was verified."""
        self.db.verified.data[user_id] = {"name": name, "email": email, "on": today()}
        return "Logged."

    @is_tool(ToolType.WRITE)
    def half_done(self, user_id: str) -> str:
        """Fails after its first change."""
        self.db.users.data[user_id]["half"] = True
        raise ValueError("only half of it was done")

    @is_tool(ToolType.GENERIC, mutates_state=True)
    def give_discoverable_user_tool(self, discoverable_tool_name: str, arguments: str = "{}") -> str:
        """Give the customer a tool."""
        if not hasattr(KnowledgeUserTools, discoverable_tool_name):
            return f"Error: Unknown discoverable tool '{discoverable_tool_name}'."
        self.db.given.data[discoverable_tool_name] = {"status": "GIVEN"}
        return "Given."

    @is_tool(ToolType.GENERIC, mutates_state=True)
    def unlock_discoverable_agent_tool(self, agent_tool_name: str) -> str:
        """Unlock a tool."""
        if not self.has_discoverable_tool(agent_tool_name):
            return f"Error: Unknown agent tool '{agent_tool_name}'."
        self._unlocked.add(agent_tool_name)
        return "Unlocked."

    @is_tool(ToolType.WRITE)
    def call_discoverable_agent_tool(self, agent_tool_name: str, arguments: str = "{}") -> str:
        """Call a tool that was unlocked."""
        if agent_tool_name not in self._unlocked:
            return f"Error: Tool '{agent_tool_name}' has not been unlocked."
        method = self.get_discoverable_tools()[agent_tool_name]
        result = method(**json.loads(arguments, parse_int=float))
        if getattr(method, MUTATES_STATE_ATTR, False) or agent_tool_name in self._logged:
            self.db.called.data[agent_tool_name] = {"status": "CALLED"}
        return result

    @is_discoverable_tool(ToolType.WRITE)
    def close_account_1234(self, account_id: str, fee: float = 0) -> str:
        """Close an account."""
        if account_id not in self.db.accounts.data:
            return f"Error: Account '{account_id}' not found."
        self.db.accounts.data[account_id].update(status="CLOSED", fee=fee)
        return f"Closed {account_id}."

    @is_discoverable_tool(ToolType.READ)
    def get_account_5678(self, account_id: str) -> str:
        """An account's record."""
        return found(self.db, "accounts", account_id)


class KnowledgeUserTools(ToolKitBase):
    @is_tool(ToolType.WRITE)
    def apply_for_credit_card(self, card_type: str, customer_name: str, annual_income: float) -> str:
        """Apply for a card.

        Args:
            card_type: Which card.
            customer_name: For whom.
            annual_income: What they earn.
        """
        self.db.applications.data[customer_name] = {"card": card_type, "income": annual_income}
        return "Application submitted."

    @is_tool(ToolType.WRITE)
    def call_discoverable_user_tool(self, discoverable_tool_name: str, arguments: str = "{}") -> str:
        """Use a tool that the agent gave."""
        if not self.has_discoverable_tool(discoverable_tool_name):
            return f"Error: Unknown discoverable tool '{discoverable_tool_name}'."
        return self.get_discoverable_tools()[discoverable_tool_name](**json.loads(arguments))

    @is_tool(ToolType.WRITE)
    def request_human_agent_transfer(self) -> str:
        """Ask for a human."""
        return "Asked."

    @is_discoverable_tool(ToolType.WRITE)
    def dispute_0589(self, transaction_id: str) -> str:
        """Dispute a transaction."""
        if "dispute_0589" not in self.db.given.data:
            return "Error: Tool 'dispute_0589' has not been given to you by the agent."
        self.db.disputes.data[transaction_id] = {"status": "SUBMITTED"}
        return f"Disputed {transaction_id}."
'''
MIXINS = '''
from tau2.environment.toolkit import ToolKitType, ToolType, is_tool


class KBSearchMixin(metaclass=ToolKitType):
    @is_tool(ToolType.READ)
    def KB_search(self, query: str) -> str:
        """Search the documents.

        Args:
            query: What for.
        """
        result = self._kb_pipeline.retrieve(query, return_timing=True)
        lines = [f"{self._kb_pipeline.get_document_title(key)}: {score:.4f}" for key, score in result.results]
        return "\\n".join([*lines, f"[{result.timing.total_ms:.0f}ms]"])


class GrepMixin(metaclass=ToolKitType):
    @is_tool(ToolType.READ)
    def grep(self, pattern: str) -> str:
        """Search by a pattern.

        Args:
            pattern: Which.
        """
        hits = self._grep_pipeline.retrieve(pattern)
        return "\\n".join(f"{self._grep_pipeline.get_document_content(key)}: {score:.0f}" for key, score in hits)
'''
DOCUMENTS = {
    "a": ("Closing accounts", "Close an account with close_account_1234. No fee, no fee."),
    "b": ("Disputes", "A customer disputes by dispute_0589. Braces {x} are kept."),
    "c": ("Cards", "The Gold Card has a fee of $5."),
    "d": ("Cards again", "The Gold Card has a fee of $5."),
    "e": ("Hours", "We are open all day."),
}
ANN = {
    "name": "Ann Lee",
    "user_id": "u1",
    "email": "ann@example.com",
    "phone_number": "555-0100",
    "date_of_birth": "01/02/1990",
}
WHO = "Your name is Ann Lee, your email is ann@example.com, you were born on 01/02/1990, your phone is 555-0100."


def action(
    tool: str, requestor: str = "assistant", /, compare: list[str] | None = None, **arguments: Any
) -> dict[str, Any]:
    given = {"name": tool, "arguments": arguments, "requestor": requestor, "action_id": tool}
    return given if compare is None else {**given, "compare_args": compare}


def task(
    id: str, scenario: str, *actions: dict[str, Any], basis: tuple[str, ...] = ("DB",), **more: Any
) -> dict[str, Any]:
    return {
        "id": id,
        "user_scenario": {"persona": None, "instructions": scenario},
        "initial_state": more.pop("initial_state", None),
        "evaluation_criteria": {"actions": list(actions), "reward_basis": list(basis), **more.pop("criteria", {})},
        "user_tools": more.pop("user_tools", []),
        "required_documents": ["a"],
    }


def verified() -> dict[str, Any]:
    return action("log_verification", **ANN)


def called(name: str, **arguments: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    return (
        action("unlock_discoverable_agent_tool", agent_tool_name=name),
        action("call_discoverable_agent_tool", agent_tool_name=name, arguments=json.dumps(arguments)),
    )


DISPUTED = {"discoverable_tool_name": "dispute_0589", "arguments": json.dumps({"transaction_id": "txn_1"})}
TASKS = [
    task(
        "task_001",
        f'1. **Opening:** "Hi, please close my old account."\n{WHO}\n'
        '2. **When asked about a fee for closing:** "I would rather pay no fee at all."',
        verified(),
        *called("close_account_1234", account_id="chk_1", fee=25),
        initial_state={"initialization_data": {"agent_data": {"accounts": {"data": {"chk_1": {"status": "OPEN"}}}}}},
    ),
    task(
        "task_002",
        f'Start with: "Hello, one of my transactions is wrong."\n{WHO}',
        verified(),
        action("give_discoverable_user_tool", discoverable_tool_name="dispute_0589"),
        action("call_discoverable_user_tool", "user", **DISPUTED),
        user_tools=["call_discoverable_user_tool"],
    ),
    task(
        "task_003",
        'Begin by saying: "Hi, which of your cards is best for me?" You are Bo Ek and earn $50,000.',
        action("apply_for_credit_card", "user", card_type="Gold Card", customer_name="Bo Ek", annual_income=50000),
        user_tools=["apply_for_credit_card"],
    ),
    task(
        "task_004",
        "You want a human, and nothing else.",
        action("transfer_to_human_agents", compare=["reason"], summary="", reason="fraud"),
        basis=("ACTION",),
    ),
    task(
        "task_005",
        'Open with: "Hi, what is my balance?"\n' + WHO,
        verified(),
        *called("get_account_5678", account_id="chk_0"),
        basis=("DB", "NL_ASSERTION"),
        criteria={"nl_assertions": ["The agent was kind."]},
    ),
    task(
        "task_006",
        'Start with: "I want a human at once!"',
        action("request_human_agent_transfer", "user"),
        user_tools=["request_human_agent_transfer"],
    ),
]


def write(root: Path, tasks: list[dict[str, Any]] | None = None) -> Path:
    """Lay the bank out below a folder, as a checkout has it."""
    code = root / "src" / "tau2" / "domains" / "banking_knowledge"
    data = root / "data" / "tau2" / "domains" / "banking_knowledge"
    for folder in (code, data / "documents", data / "tasks", data / "prompts" / "components"):
        folder.mkdir(parents=True)
    files = {"data_model": DATA_MODEL, "db_query": DB_QUERY, "utils": UTILS, "tools": TOOLS, "retrieval_mixins": MIXINS}
    for name, text in files.items():
        (code / f"{name}.py").write_text(text)
    for key, (title, content) in DOCUMENTS.items():
        document = {"id": f"doc_{key}", "title": title, "content": content}
        (data / "documents" / f"doc_{key}.json").write_text(json.dumps(document))
    users = {"u1": {"name": "Ann Lee"}}
    accounts = {"chk_0": {"status": "OPEN"}}
    (data / "db.json").write_text(json.dumps({"users": {"data": users}, "accounts": {"data": accounts}}))
    written = TASKS if tasks is None else tasks
    (data / "tasks.json").write_text(json.dumps(written))
    for each in written:
        (data / "tasks" / f"{each['id']}.json").write_text(json.dumps(each))
    (data / "prompts" / "components" / "policy_header.md").write_text("# The bank's rules")
    for name in ("classic_rag_bm25", "classic_rag_bm25_no_grep", "grep_only", "no_knowledge"):
        (data / "prompts" / f"{name}.md").write_text("{{component:policy_header}}\n\nHave a look.")
    (data / "prompts" / "full_kb.md").write_text("{{component:policy_header}}\n\n{{full_knowledge_base}}")
    return root
