"""Asks DuckDB each SQL that is given as a JSON array on standard input, as the page on read models tells people to: with an
SQLite file attached by DuckDB's own extension. Prints the rows as JSON.

What stands before the questions is the first argument, the statement that attaches the file among it. The extension comes
as a package instead of from afar: what installs and loads it is left out.
"""

import json
import sys
from importlib.resources import files

import duckdb
import duckdb_extension_sqlite_scanner

asked = duckdb.connect()
folder = files(duckdb_extension_sqlite_scanner) / "extensions" / f"v{duckdb.__version__}"
asked.load_extension(str(folder / "sqlite_scanner.duckdb_extension"))
asked.execute(sys.argv[1])

answers = []
for sql in json.load(sys.stdin):
    try:
        found = asked.execute(sql)
        names = [column[0] for column in found.description]
        answers.append([dict(zip(names, row)) for row in found.fetchall()])
    except duckdb.Error as error:
        answers.append(str(error))
print(json.dumps(answers, default=str))
