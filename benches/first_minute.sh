#!/bin/sh
# How soon a difference is found: the quickstart, and `compare` of two running reference servers whose difference is known.
#
#     cargo build --release && benches/first_minute.sh [RUNS] [DIRECTORY]
#
# The servers have CPU 0, the generator the other one. 50 and 56.8 µs of work make 10 % more answers here, 50 and 53.4 µs 5 %: what
# a server does beside its work takes 18 µs. Each line: exit code, seconds, what was found. Takes some 3 minutes for each of RUNS.
set -eu
RUNS=${1:-10}
PLACE=${2:-$(mktemp -d)}
ROOT=$(cd "$(dirname "$0")/.." && pwd)
PROOFLOAD=$ROOT/target/release/proofload
mkdir -p "$PLACE"

timed() { # NAME COMMAND...
    name=$1
    shift
    begun=$(date +%s.%N)
    code=0
    timeout 180 "$@" > "$PLACE/last.txt" 2>&1 || code=$?
    took=$(echo "$(date +%s.%N) - $begun" | bc)
    echo "$name: exit $code, $took s: $(grep -m 1 -E '^[✔?=]' "$PLACE/last.txt" || true)"
}

compared() { # NAME WORK WORK BUDGET
    taskset -c 0 "$PROOFLOAD" reference-server --port 9181 --spin "$2" > "$PLACE/a.log" 2>&1 & a=$!
    taskset -c 0 "$PROOFLOAD" reference-server --port 9182 --spin "$3" > "$PLACE/b.log" 2>&1 & b=$!
    trap 'kill $a $b 2> /dev/null' EXIT
    sleep 0.5
    for _ in $(seq "$RUNS"); do
        timed "$1 in $4" "$PROOFLOAD" compare localhost:9181 localhost:9182 -c 16 --budget "$4" --dir "$PLACE" -q
    done
    kill "$a" "$b"
}

for _ in $(seq "$RUNS"); do
    timed quickstart "$PROOFLOAD" run "$ROOT/studies/quickstart.yaml" --dir "$PLACE" -q
done
compared "10 %" 50us 56.8us 20s
compared "5 %" 50us 53.4us 60s
compared equal 50us 50us 30s
