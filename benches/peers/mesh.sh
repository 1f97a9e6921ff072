#!/usr/bin/env bash
# Polygons of N metaballs on grids of 128³ and 256³ cubes beside fidget, Blender's metaballs, and numpy with scikit-image:
# the same points, kernel, isovalue and grid, one thread each. The distance of vertices from the surface is measured for
# all by our bench, in double precision.
#
#   benches/peers/mesh.sh [PYTHON [BLENDER]]   PYTHON, or $PLIANT_PEER_PYTHON, or python3: an interpreter with scikit-image;
#                                              BLENDER, or $PLIANT_PEER_BLENDER: one with bpy (else the same);
#                                              $PLIANT_PEERS: the folder of fidget/ (see benches/README.md)
set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/benches/peers
python=${1:-${PLIANT_PEER_PYTHON:-python3}}
blender=${2:-${PLIANT_PEER_BLENDER:-$python}}
fidget=${PLIANT_PEERS:-peers}/fidget
target=${CARGO_TARGET_DIR:-$root/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

command -v "$python" >/dev/null || { echo "no interpreter \"$python\": name one as the argument or in PLIANT_PEER_PYTHON."; exit 2; }
echo "building our bench ..."
if ! (cd "$root" && cargo bench -p pliant --bench mesh --no-run) >"$work/build.log" 2>&1; then
    grep -E '^error' "$work/build.log" | head -3 || true
    echo "our bench did not build."
    exit 1
fi
ours() { (cd "$root" && cargo bench -q -p pliant --bench mesh -- "$@"); }

echo "our meshes (again after the peers', so that all see the same load) ..."
ours --json --out "$work" >"$work/ours.jsonl"

: >"$work/peers.jsonl"
if [ -f "$fidget/Cargo.toml" ]; then
    # Its dependencies, our program.
    mkdir -p "$work/fidget/src"
    cp "$fidget/Cargo.toml" "$work/fidget/"
    cp "$here/mesh_fidget.rs" "$work/fidget/src/main.rs"
    sed -i 's/^name = .*/name = "mesh_fidget"/' "$work/fidget/Cargo.toml"
    echo "fidget's meshes, about two minutes ..."
    if ! (cd "$work/fidget" && cargo build --release --target-dir "$target/peers") >"$work/build.log" 2>&1; then
        grep -E '^error' "$work/build.log" | head -3 || true
        echo "fidget peer not available (it did not build)."
    elif ! "$target/peers/release/mesh_fidget" "$work" >>"$work/peers.jsonl" 2>"$work/err"; then
        tail -3 "$work/err"
        echo "fidget peer failed."
    fi
else
    echo "fidget peer not available (no fidget/ in the folder that PLIANT_PEERS names)."
fi
if "$python" -c 'import skimage' 2>/dev/null; then
    echo "numpy's and scikit-image's meshes ..."
    "$python" "$here/mesh_numpy.py" "$work" >>"$work/peers.jsonl" 2>"$work/err" || { tail -3 "$work/err"; echo "numpy peer failed."; }
else
    echo "numpy peer not available (\"$python\" cannot import skimage)."
fi
if "$blender" -c 'import bpy' >/dev/null 2>&1; then
    echo "Blender's meshes ..."
    "$blender" "$here/mesh_blender.py" "$work" 2>"$work/err" | grep '^{' >>"$work/peers.jsonl" || { tail -3 "$work/err"; echo "Blender peer failed."; }
else
    echo "Blender peer not available (\"$blender\" cannot import bpy)."
fi

ours --json >>"$work/ours.jsonl"
ours --measure "$work" >"$work/errors.jsonl"
"$python" "$here/mesh.py" "$work/ours.jsonl" "$work/peers.jsonl" "$work/errors.jsonl"
