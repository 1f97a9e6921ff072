#!/bin/sh
# A picture of 512 x 512 pixels, depth and normals, beside fidget (JIT, f32) on the same metaballs, one thread each.
# Ours is f64 and as exact as a root can be; fidget's depth is a voxel of 512 along the view. Its figure is the best of
# three ways to write the same sum, by wall and by CPU time; ours stand beside both.
#
#   benches/peers/picture.sh     $PLIANT_PEERS: the folder of fidget/ (see benches/README.md)
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../.." && pwd)
peer=${PLIANT_PEERS:-peers}/fidget
target=${CARGO_TARGET_DIR:-$root/target}

if [ ! -f "$peer/Cargo.toml" ]; then
    echo "fidget peer not available (no fidget/ in the folder that PLIANT_PEERS names): no ratio measured."
    (cd "$root" && cargo bench -q -p pliant --bench picture)
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$peer" "$work/fidget"
rm -rf "$work/fidget/target"
# Only the pictures on one thread: its bulk evaluation and its meshes take minutes and are measured elsewhere.
sed -i -e 's|let (w, cp) = bench(5, 0.5, .. naive|let (w, cp) = bench(1, 0.0, \|\| naive|' \
    -e 's|let (w, cp) = bench(5, 0.5, .. e.eval|let (w, cp) = bench(1, 0.0, \|\| e.eval|' \
    -e 's|bench(5, 0.3, |bench(1, 0.0, |' -e 's|bench(2, 0.3, |bench(1, 0.0, |' \
    -e 's|let (w2, c2) = bench(reps, 0.0, .. fidget::raster.*|let (w2, c2) = (w1, c1); let _ = \&e2;|' \
    -e 's|if !cf { continue; }|continue;|' "$work/fidget/src/main.rs"
echo "building fidget's bench and ours ..."
if ! (cd "$work/fidget" && cargo build --release --target-dir "$target/peers") >"$work/build.log" 2>&1; then
    grep -E '^error' "$work/build.log" | head -3 || true
    echo "fidget peer not available (it did not build): no ratio measured."
    exit 0
fi
(cd "$root" && cargo bench -p pliant --bench picture --no-run) >"$work/ours.log" 2>&1 || {
    grep -E '^error' "$work/ours.log" | head -3 || true
    echo "our bench did not build."
    exit 1
}

# Ours before and after, so that both see the same load.
(cd "$root" && cargo bench -q -p pliant --bench picture) >"$work/ours.txt"
(cd "$work" && "$target/peers/release/fidbench" "$work") >"$work/fidget.txt"
(cd "$root" && cargo bench -q -p pliant --bench picture) >>"$work/ours.txt"

awk '
    FILENAME ~ /fidget.txt$/ && /^=== N=/ { split($2, part, "="); n = part[2] }
    FILENAME ~ /fidget.txt$/ && /^render 512/ {
        # "...: 1 thread W ms wall (C cpu); ...; filled px F"
        line = $0; sub(/.*1 thread */, "", line); wall = line + 0
        sub(/.*wall \(/, "", line); cpu = line + 0
        sub(/.*filled px */, "", line); fill[n] = line + 0
        if (!peer[n] || wall < peer[n]) peer[n] = wall
        if (!peer_cpu[n] || cpu < peer_cpu[n]) peer_cpu[n] = cpu
    }
    FILENAME ~ /ours.txt$/ && $1 + 0 > 0 {
        n = $1
        if (!(n in best)) order[++rows] = n
        if (!(n in best) || $2 < best[n]) best[n] = $2
        if (!(n in mean) || $3 < mean[n]) mean[n] = $3
        ours[n] = $4; off[n] = $5; turned[n] = $6; wrong[n] = $7
    }
    END {
        print "512 x 512, depth and normals, metaballs, one thread, ms: best wall / CPU (ours mean, fidget best)"
        printf "%5s | %17s | %17s | %15s | %9s %9s | %s\n", "N", "ours", "fidget", "ratio", "pixels", "fidget", "our worst depth, normal, wrong pixels"
        for (i = 1; i <= rows; i++) {
            n = order[i]
            if (!peer[n]) { printf "%5d | fidget gave no figure\n", n; continue }
            printf "%5d | %8.2f/%8.2f | %8.1f/%8.1f | %6.1fx /%6.1fx | %9d %9d | %s m, %s, %s\n", n, best[n], mean[n],
                peer[n], peer_cpu[n], peer[n] / best[n], peer_cpu[n] / mean[n], ours[n], fill[n], off[n], turned[n], wrong[n]
        }
    }' "$work/fidget.txt" "$work/ours.txt"
