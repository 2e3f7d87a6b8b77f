"""A log of the rows that a transaction touched, written by triggers.

It is kept by the database itself, so that no write can pass it by, and it lives inside the transaction, so that a
rollback (of the episode, or of one failed tool call) takes its entries back as well.
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, Table, Text

from mua_env.core.database._statements import statements_of

_metadata = MetaData()
TOUCHED = Table(
    "mua_touched",
    _metadata,
    Column("table_name", Text, nullable=False),
    Column("row_key", Text, nullable=False),
    PrimaryKeyConstraint("table_name", "row_key"),
)


def install(connection: Connection, tables: list[Table]) -> None:
    """Create the log and its triggers for the given tables."""
    _metadata.create_all(connection)
    make = {"sqlite": sqlite_triggers, "postgresql": postgres_triggers}[connection.dialect.name]
    for table in tables:
        for statement in make(table):
            connection.exec_driver_sql(statement)


def sqlite_triggers(table: Table) -> list[str]:
    """The statements that make a table log its changes on SQLite."""
    keys = [column.name for column in statements_of(table).keys]

    def log(side: str) -> str:
        parts = ", ".join(f'{side}."{name}"' for name in keys)
        return f"INSERT OR IGNORE INTO mua_touched VALUES ('{table.name}', json_array({parts}));"

    sides = {"INSERT": [log("NEW")], "UPDATE": [log("OLD"), log("NEW")], "DELETE": [log("OLD")]}
    return [
        f'CREATE TRIGGER "mua_{table.name}_{event.lower()}" AFTER {event} ON "{table.name}" BEGIN {" ".join(body)} END'
        for event, body in sides.items()
    ]


def postgres_triggers(table: Table) -> list[str]:
    """The same on PostgreSQL."""
    keys = [column.name for column in statements_of(table).keys]

    def log(side: str) -> str:
        parts = ", ".join(f'{side}."{name}"' for name in keys)
        return (
            f"INSERT INTO mua_touched VALUES ('{table.name}', json_build_array({parts})::text) ON CONFLICT DO NOTHING;"
        )

    return [
        f'CREATE FUNCTION "mua_{table.name}_touch"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN '
        f"IF TG_OP <> 'INSERT' THEN {log('OLD')} END IF; "
        f"IF TG_OP <> 'DELETE' THEN {log('NEW')} END IF; RETURN NULL; END $$",
        f'CREATE TRIGGER "mua_{table.name}_touch" AFTER INSERT OR UPDATE OR DELETE ON "{table.name}" '
        f'FOR EACH ROW EXECUTE FUNCTION "mua_{table.name}_touch"()',
    ]
