"""The same metaballs by Blender: mesh_blender.py FOLDER, with an interpreter that can import bpy. See mesh_fidget.rs
for what is read and written. Stiffness 1 and threshold 0.5 are this kernel and isovalue."""

import json
import sys
import time

import bpy
import numpy as np

SECONDS = 3.0
SCALE = 10.0  # Blender refuses cubes that are too small.


def metaballs(points, radius):
    data = bpy.data.metaballs.new("balls")
    thing = bpy.data.objects.new("balls", data)
    bpy.context.scene.collection.objects.link(thing)
    data.threshold = 0.5
    for p in points:
        ball = data.elements.new()
        ball.type, ball.co, ball.radius, ball.stiffness = "BALL", p * SCALE, radius * SCALE, 1.0
    return data, thing


def vertices_of(mesh):
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.astype(np.float64) / SCALE


folder = sys.argv[1]
for n in (10, 100, 1000):
    lines = open(f"{folder}/points_{n}.txt").read().split("\n")
    points = np.array([[float(c) for c in l.split()] for l in lines[1:] if l])
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    data, thing = metaballs(points, float(lines[0]))
    for cubes in (128, 256):
        wall, cpu, tries, start = 1e9, 1e9, 0, time.perf_counter()
        while tries == 0 or time.perf_counter() - start < SECONDS:
            tries += 1
            w, c = time.perf_counter(), time.process_time()
            # A hair's change each time, or Blender would answer with the mesh it has.
            data.resolution = data.render_resolution = 2 * SCALE / cubes * (1 + 1e-6 * tries)
            data.update_tag()
            graph = bpy.context.evaluated_depsgraph_get()
            graph.update()
            shown = thing.evaluated_get(graph)
            mesh = shown.to_mesh()
            cpu, wall = min(cpu, time.process_time() - c), min(wall, time.perf_counter() - w)
            vertices = vertices_of(mesh)
            mesh.calc_loop_triangles()
            triangles = len(mesh.loop_triangles)
            shown.to_mesh_clear()
        vertices.tofile(f"{folder}/blender_{n}_{cubes}.f64")
        found = dict(peer="blender", n=n, cubes=cubes, wall_ms=1e3 * wall, cpu_ms=1e3 * cpu)
        print(json.dumps(found | dict(vertices=len(vertices) // 3, triangles=triangles)), flush=True)
