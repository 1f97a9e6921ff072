#!/usr/bin/env bash
# Soft balls falling into a box beside Drake's hydroelastic contact, MuJoCo's flex and PyBullet's deformables, one after the
# other in one run: CPU seconds a simulated second. Ours are implicit steps of 1/60 s on one thread; a thousand balls, too,
# on one thread and on two.
#
#   benches/peers/motion.sh [PYTHON]     PYTHON, or $PLIANT_PEER_PYTHON, or python3: an interpreter with the peers;
#                                        $PLIANT_PEER_BULLET: one with PyBullet (else the same);
#                                        $PLIANT_PEERS: the folder of drake_dyn.py, mujoco_flex.py and pybullet_soft.py
set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
python=${1:-${PLIANT_PEER_PYTHON:-python3}}
peers=${PLIANT_PEERS:-peers}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v "$python" >/dev/null || { echo "no interpreter \"$python\": name one as the argument or in PLIANT_PEER_PYTHON."; exit 2; }
echo "building our bench ..."
if ! (cd "$root" && cargo bench -p pliant --bench motion --no-run) >"$work/build.log" 2>&1; then
    grep -E '^error' "$work/build.log" | head -3 || true
    echo "our bench did not build."
    exit 1
fi
ours() { (cd "$root" && cargo bench -q -p pliant --bench motion -- --only implicit --json "$@"); }

# peer NAME SCRIPT ARGUMENT...: runs one, if it is there, with $with, and keeps what it prints.
with=$python
: >"$work/peers.txt"
peer() {
    local name=$1 script=$peers/$2
    shift 2
    if [ ! -f "$script" ]; then
        echo "$name not available (no $(basename "$script") in the folder that PLIANT_PEERS names)."
        return
    fi
    echo "$name $* ..."
    if timeout 900 "$with" "$script" "$@" >"$work/one.txt" 2>"$work/one.err"; then
        sed "s/^/$name|$*|/" "$work/one.txt" >>"$work/peers.txt"
    else
        tail -1 "$work/one.err"
        echo "$name not available (its script failed)."
    fi
}

echo "our hundred balls (again after the peers', so that all see the same load) ..."
ours --balls 100 >"$work/ours.jsonl"
peer "MuJoCo flex" mujoco_flex.py --case 100 5e-3 1 trilinear
peer "MuJoCo flex" mujoco_flex.py --case 100 1e-3 1 trilinear
peer "Drake hydroelastic" drake_dyn.py --case 100 .05 1e-2 1
peer "Drake hydroelastic" drake_dyn.py --case 100 .02 1e-2 1
with=${PLIANT_PEER_BULLET:-$python}
peer "PyBullet deformable" pybullet_soft.py
ours --balls 100 >>"$work/ours.jsonl"
echo "our thousand balls ..."
ours --balls 1000 --threads 1 >>"$work/ours.jsonl"
ours --balls 1000 --threads 2 >>"$work/ours.jsonl"

"$python" "$root/benches/peers/motion.py" "$work/ours.jsonl" "$work/peers.txt"
