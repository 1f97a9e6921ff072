"""The table of motion.sh: motion.py OURS.jsonl PEERS.txt. CPU seconds a simulated second; ours is the slower of two runs,
one before the peers and one after. PyBullet stops at 50 balls, which favours it."""

import json
import re
import sys

TARGET = 20
GROWTH = 12
WE_MAY = 0.01
# Error of the force between two balls 1 cm deep in each other, as contact.sh measures it, by mesh hint.
DRAKE_ERROR = {".05": "-72 %"}


def peers(path):
    """Name, setting, N, CPU seconds a simulated second, error of forces where it is known."""
    for line in open(path):
        name, arguments, text = line.rstrip("\n").split("|", 2)
        cpu = re.search(r"cpu/sim-s ([\d.]+)", text) or re.search(r"cpu ([\d.]+) per sim-s", text)
        count = re.search(r"N= *(\d+)", text)
        if not (cpu and count):
            continue
        dt = re.search(r"dt=([\d.e-]+)", text)
        setting, error = f"dt {dt[1].rstrip('.')}" if dt else "", ""
        if name.startswith("Drake"):
            hint = arguments.split()[2]
            setting, error = f"hint {hint}, {setting}", DRAKE_ERROR.get(hint, "")
        elif name.startswith("MuJoCo"):
            setting = f"trilinear, {setting}"
        yield name, setting, int(count[1]), float(cpu[1]), error


def main(ours_path, peers_path):
    ours = {}
    for line in open(ours_path):
        if not line.startswith("{"):
            continue
        run = json.loads(line)
        if "start" not in run:
            continue
        count, threads = int(run["start"].split()[0]), int(run["start"].rsplit(" ", 1)[1])
        known = ours.get((count, threads))
        if known is None or run["cpu_per_second"] > known["cpu_per_second"]:
            ours[count, threads] = run
    base = ours[100, 1]["cpu_per_second"]

    row = "{:<20} {:<26} {:>5} {:>10} {:>10} {:>9}   {}"
    print("\nsoft balls falling into a box, seconds a simulated second")
    print(row.format("engine", "setting", "N", "CPU", "wall", "to ours", "worst force"))
    for (count, threads), run in sorted(ours.items()):
        ratio = "1" if (count, threads) == (100, 1) else ""
        print(row.format("Pliant", f"1/60 s, threads: {threads}", count, f"{run['cpu_per_second']:.3f}",
                         f"{run['wall_per_second']:.3f}", ratio, f"off by {run['force_error']:.1e}"))
    fastest = None
    for name, setting, count, cpu, error in peers(peers_path):
        if count < 50:
            continue
        print(row.format(name, setting, count, f"{cpu:.3f}", "", f"{cpu / base:.1f}x", error))
        if count == 100 and (fastest is None or cpu < fastest[0]):
            fastest = cpu, name, setting
    if (1000, 1) in ours:
        growth = ours[1000, 1]["cpu_per_second"] / base
        print(f"ten times as many balls, as deep: {growth:.1f}x, target {GROWTH}x, {'met' if growth <= GROWTH else 'NOT MET'}")
    worst = max(run["force_error"] for run in ours.values())
    print(f"every force of ours within {WE_MAY:.0%} of exact: {'met' if worst <= WE_MAY else 'NOT MET'} ({worst:.1e})")
    if fastest:
        ratio = fastest[0] / base
        print(f"fastest peer at 100 balls: {fastest[1]}, {fastest[2]}: {ratio:.1f}x, target {TARGET}x, "
              f"{'met' if ratio >= TARGET else 'NOT MET'}")
    else:
        print("no peer ran: no ratio measured")


main(*sys.argv[1:3])
