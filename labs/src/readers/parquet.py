"""Prints what DuckDB reads from a Parquet file, if pyarrow reads the same: each value of a second or a sample as a line of
csv-series, then a line of JSON with the sums of each series of whole windows that figures rest on."""

import json
import sys

import duckdb
import pyarrow.parquet

path = sys.argv[1]
columns = "block, phase, cycle, position, variant, stream, point"
duck = duckdb.sql(
    f"select {columns}, epoch_ns(window_start), at_ns, series, value, grain, in_figures, at_least from read_parquet($path)",
    params={"path": path},
).fetchall()
table = pyarrow.parquet.read_table(path)
table = table.set_column(table.schema.get_field_index("window_start"), "window_start", table["window_start"].cast("int64"))
order = columns.split(", ") + ["window_start", "at_ns", "series", "value", "grain", "in_figures", "at_least"]
arrow = list(zip(*(table[name].to_pylist() for name in order)))
if duck != arrow:
    sys.exit(f"{path}: DuckDB and pyarrow read different rows")

sums = {}
for *place, series, value, grain, in_figures, _ in duck:
    if grain != "window":
        print(*place, series, "" if value is None else int(value), sep=",")
    elif in_figures and value is not None:
        key = "\t".join([place[4], place[5], place[6], series])
        sums[key] = sums.get(key, 0) + value
print(json.dumps(sums))
