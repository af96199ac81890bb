"""Asks DuckDB each SQL that is given as a JSON array on standard input, over an SQLite file; prints the rows as JSON.

The file's tables are copied, typed as DuckDB's sqlite extension types them, and its views made of their own SQL, as that
extension does: the extension itself is fetched from afar.
"""

import json
import sqlite3
import sys

import duckdb

TYPES = {"TEXT": "VARCHAR", "INTEGER": "BIGINT"}

source = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
asked = duckdb.connect()
entries = source.execute("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY type")
for kind, name, sql in entries.fetchall():
    if kind == "view":
        asked.execute(sql)
        continue
    columns = [(f'"{column[1]}"', TYPES[column[2]]) for column in source.execute(f'PRAGMA table_info("{name}")')]
    asked.execute(f'CREATE TABLE "{name}" ({", ".join(f"{column} {kind}" for column, kind in columns)})')
    rows = source.execute(f'SELECT * FROM "{name}"').fetchall()
    if rows:
        asked.executemany(f'INSERT INTO "{name}" VALUES ({", ".join("?" for _ in columns)})', rows)

answers = []
for sql in json.load(sys.stdin):
    try:
        found = asked.execute(sql)
        names = [column[0] for column in found.description]
        answers.append([dict(zip(names, row)) for row in found.fetchall()])
    except duckdb.Error as error:
        answers.append(str(error))
print(json.dumps(answers, default=str))
