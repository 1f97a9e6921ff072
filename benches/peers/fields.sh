#!/bin/sh
# Field values and gradients beside fidget (JIT, f32) on the same skeletons and points, one thread each.
# Ours is wall time in f64; fidget's is its best variant by CPU time, which favours it on a busy machine.
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
peer=${PLIANT_PEERS:-peers}/fidget   # see benches/README.md

if [ ! -f "$peer/Cargo.toml" ]; then
    echo "fidget peer not available (no fidget/ in the folder that PLIANT_PEERS names): no ratio measured."
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$peer" "$work/fidget"
rm -rf "$work/fidget/target"
# Only the bulk evaluation: its pictures and meshes take minutes and are measured elsewhere.
sed -i 's|// (b) render and (c) mesh|if true { continue; }|' "$work/fidget/src/main.rs"
echo "building fidget's bench and ours ..."
if ! (cd "$work/fidget" && cargo build --release --target-dir "$root/target/peers") >"$work/build.log" 2>&1; then
    grep -E '^error' "$work/build.log" | head -3 || true
    echo "fidget peer not available (it did not build): no ratio measured."
    exit 0
fi
(cd "$root" && cargo bench -p pliant --bench fields --no-run) >"$work/ours.log" 2>&1 || {
    grep -E '^error' "$work/ours.log" | head -3 || true
    echo "our bench did not build."
    exit 1
}

(cd "$work" && "$root/target/peers/release/fidbench" "$work" 5) >"$work/fidget.txt"
(cd "$root" && cargo bench -q -p pliant --bench fields) >"$work/ours.txt"

awk '
    FILENAME ~ /fidget.txt$/ && /^=== N=/ { split($2, part, "="); n = part[2] }
    FILENAME ~ /fidget.txt$/ && /^bulk fidget JIT/ {
        # "...: W Mpt/s wall, C cpu; grad G Mpt/s cpu; ..."
        line = $0; sub(/.*wall, */, "", line); values = line + 0
        sub(/.*grad */, "", line); gradients = line + 0
        if (values > peer_values[n]) peer_values[n] = values
        if (gradients > peer_gradients[n]) peer_gradients[n] = gradients
    }
    FILENAME ~ /ours.txt$/ && $2 == "metaball" { our_values[$1] = $3; our_gradients[$1] = $4; order[++rows] = $1 }
    END {
        print "Mpoints/s, one thread, metaballs, 65536 random points"
        printf "%5s | %9s %9s %9s | %9s %9s %9s\n", "N", "values", "fidget", "ratio", "gradients", "fidget", "ratio"
        for (i = 1; i <= rows; i++) {
            n = order[i]
            if (!peer_values[n]) { printf "%5d | fidget gave no figure\n", n; continue }
            printf "%5d | %9.2f %9.2f %8.1fx | %9.2f %9.2f %8.1fx\n", n, our_values[n], peer_values[n],
                our_values[n] / peer_values[n], our_gradients[n], peer_gradients[n], our_gradients[n] / peer_gradients[n]
        }
    }' "$work/fidget.txt" "$work/ours.txt"
