#!/usr/bin/env bash
# One contact query beside Drake's hydroelastic contact: the same spheres, the same pressure law, the same exact force.
# Ours must reach 1e-3. For each case Drake runs with the cheapest mesh hint and representation whose force is within 1 %.
#
#   benches/peers/contact.sh [PYTHON]     PYTHON, or $PLIANT_PEER_PYTHON, or python3: an interpreter with Drake;
#                                         $PLIANT_PEERS: the folder of drake_contact.py (see benches/README.md)
set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
python=${1:-${PLIANT_PEER_PYTHON:-python3}}
script=${PLIANT_PEERS:-peers}/drake_contact.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v "$python" >/dev/null || { echo "no interpreter \"$python\": name one as the argument or in PLIANT_PEER_PYTHON."; exit 2; }
echo "building our bench ..."
if ! (cd "$root" && cargo bench -p pliant --bench contact --no-run) >"$work/build.log" 2>&1; then
    grep -E '^error' "$work/build.log" | head -3 || true
    echo "our bench did not build."
    exit 1
fi
# Its exit status says whether every force was near enough; the table says so too.
ours() { (cd "$root" && cargo bench -q -p pliant --bench contact -- "$@") 2>"$work/ours.err" || grep 'forces off' "$work/ours.err" || cat "$work/ours.err"; }

if [ ! -f "$script" ]; then
    echo "Drake peer not available (no drake_contact.py in the folder that PLIANT_PEERS names): no ratio measured."
    ours
    exit 0
fi
if ! "$python" -c 'import pydrake, scipy' 2>/dev/null; then
    echo "Drake peer not available (\"$python\" cannot import pydrake and scipy): no ratio measured."
    ours
    exit 0
fi

echo "our queries (again after Drake's, so that both see the same load) ..."
ours --json >"$work/ours.jsonl"
echo "Drake's queries, about two minutes ..."
if ! "$python" "$script" "$work/drake.json" >"$work/drake.txt" 2>&1; then
    tail -3 "$work/drake.txt"
    echo "Drake peer not available (its script failed): no ratio measured."
    exit 1
fi
ours --json --only equal,unequal,plane >>"$work/ours.jsonl"

"$python" "$root/benches/peers/contact.py" "$work/ours.jsonl" "$work/drake.json"
