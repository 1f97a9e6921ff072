"""The table of mesh.sh: mesh.py OURS.jsonl PEERS.jsonl ERRORS.jsonl. Like is divided by like: best CPU by best CPU, best
wall by best wall, each against the peer that is fastest by it. A cell counts as met only if both ratios reach the target
and no peer's vertices are nearer the surface."""

import json
import sys

TARGET = 3.0
PEERS = ["fidget", "blender", "numpy"]


def rows(path):
    return [json.loads(line) for line in open(path) if line.startswith("{")]


def main(ours_path, peers_path, errors_path):
    ours = {}
    for r in rows(ours_path):
        key = r["cubes"], r["n"]
        for time in ("cpu_ms", "wall_ms"):
            r[time] = min(r[time], ours.get(key, r)[time])
        ours[key] = r
    peers = {(r["cubes"], r["n"], r["peer"]): r for r in rows(peers_path)}
    for r in rows(errors_path):
        peers.get((r["cubes"], r["n"], r["peer"]), {})["error"] = r["error"]

    print("\npolygons of N metaballs, one thread, ms: best CPU / best wall; error of the worst vertex, in cubes")
    print("making the shape, once a body, is not in ours; the ratio with it is in brackets (CPU)")
    row = "{:>5} {:>5} | {:>15} {:>8}" + " | {:>19} {:>8}" * len(PEERS) + " | {:>13} {:>8} {}"
    heads = [word for peer in PEERS for word in (peer, "error")]
    print(row.format("cubes", "N", "ours", "error", *heads, "ratio", "", ""))
    times = "{cpu_ms:.1f} / {wall_ms:.1f}".format_map
    all_met = True
    for (cubes, n), r in sorted(ours.items()):
        found = {peer: peers[cubes, n, peer] for peer in PEERS if (cubes, n, peer) in peers}
        cells = []
        for peer in PEERS:
            p = found.get(peer)
            cells += [times(p), f"{p['error']:.1e}"] if p else ["-", ""]
        if not found:
            print(row.format(cubes, n, times(r), f"{r['error']:.1e}", *cells, "no peer", "", ""))
            all_met = False
            continue
        cpu, wall = (min(p[time] for p in found.values()) for time in ("cpu_ms", "wall_ms"))
        ratios = cpu / r["cpu_ms"], wall / r["wall_ms"]
        exact = all(r["error"] <= p["error"] for p in found.values()) and r["bad_edges"] == 0
        met = min(ratios) >= TARGET and exact
        all_met &= met
        with_shape = cpu / (r["cpu_ms"] + r["shape_ms"])
        ratio = "{:.1f} / {:.1f} x".format(*ratios)
        verdict = "met" if met else "missed"
        print(row.format(cubes, n, times(r), f"{r['error']:.1e}", *cells, ratio, f"({with_shape:.1f} x)", verdict))
    missing = [peer for peer in PEERS if not any(key[2] == peer for key in peers)]
    said = f" (without {', '.join(missing)})" if missing else ""
    print(f"target {TARGET:.0f} x the fastest peer, and no less exact, in every cell: {'met' if all_met else 'missed'}{said}")


main(*sys.argv[1:4])
