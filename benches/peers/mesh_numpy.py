"""The same metaballs splatted by numpy and cut by scikit-image: mesh_numpy.py FOLDER. See mesh_fidget.rs for what is
read and written. Each ball visits only the corners in its box; single precision, which is faster."""

import json
import sys
import time

import numpy as np
from skimage.measure import marching_cubes

SECONDS = 3.0


def mesh(points, radius, cubes):
    axis = np.linspace(-1, 1, cubes + 1, dtype=np.float32)
    field = np.zeros((cubes + 1,) * 3, np.float32)
    for p in points:
        s = [slice(*np.searchsorted(axis, [c - radius, c + radius])) for c in p]
        x, y, z = (((axis[s[i]] - p[i]) / radius) ** 2 for i in range(3))
        w = (1 - x)[:, None, None] - y[None, :, None] - z[None, None, :]
        np.maximum(w, 0, out=w)
        field[s[0], s[1], s[2]] += w * w * w
    return marching_cubes(field, 0.5)


folder = sys.argv[1]
for n in (10, 100, 1000):
    lines = open(f"{folder}/points_{n}.txt").read().split("\n")
    radius = np.float32(lines[0])
    points = np.array([[float(c) for c in l.split()] for l in lines[1:] if l], np.float32)
    for cubes in (128, 256):
        wall, cpu, start = 1e9, 1e9, time.perf_counter()
        while time.perf_counter() - start < SECONDS:
            w, c = time.perf_counter(), time.process_time()
            vertices, triangles, *_ = mesh(points, radius, cubes)
            cpu, wall = min(cpu, time.process_time() - c), min(wall, time.perf_counter() - w)
        (vertices.astype(np.float64) * (2 / cubes) - 1).tofile(f"{folder}/numpy_{n}_{cubes}.f64")
        found = dict(peer="numpy", n=n, cubes=cubes, wall_ms=1e3 * wall, cpu_ms=1e3 * cpu)
        print(json.dumps(found | dict(vertices=len(vertices), triangles=len(triangles))), flush=True)
