"""An animated .glb as Blender plays it: glb_blender.py OUT.glb OUT.ply [PICTURE.png FRAME [WIRE]], with an interpreter that
can import bpy. OUT.0000.ply and so on are the same frames of the same cache, as `pliant export --pinned` writes them: the
same vertices in the same order. Prints the largest distance between a vertex as Blender evaluates it and as it is written, and
fails if that is more than single precision and the time between Blender's frames explain."""

import glob
import os
import re
import sys

import bpy
import numpy as np

ALLOWED = 2e-6  # of the scene's size: positions and weights are f32


def read_ply(path):
    """Positions of each body, by name."""
    data = open(path, "rb").read()
    head, body = data.split(b"end_header\n", 1)
    lines = head.decode().split("\n")
    names = [l.split(" ", 3)[3] for l in lines if l.startswith("comment body ")]
    count = int(next(l for l in lines if l.startswith("element vertex")).split()[2])
    row = np.dtype([("reals", "<f8", 10), ("body", "<u4"), ("element", "<u4")])
    vertices = np.frombuffer(body, row, count)
    time = float(re.search(r"frame \d+, ([^ ]+) s", head.decode()).group(1))
    return time, {name: vertices["reals"][vertices["body"] == b, :3] for b, name in enumerate(names)}


def evaluated(graph, thing):
    shown = thing.evaluated_get(graph)
    mesh = shown.to_mesh()
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    shown.to_mesh_clear()
    turn = np.array(shown.matrix_world)
    return flat.reshape(-1, 3).astype(float) @ turn[:3, :3].T + turn[:3, 3]


def picture(path, center, size, wire):
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.device, scene.cycles.samples = "CYCLES", "CPU", 16
    scene.render.resolution_x, scene.render.resolution_y = 960, 720
    world = scene.world or bpy.data.worlds.new("sky")
    scene.world, world.use_nodes = world, True
    world.node_tree.nodes["Background"].inputs[0].default_value = (0.8, 0.85, 1, 1)
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3, (0.6, 0.3, 0)
    eye = bpy.data.objects.new("eye", bpy.data.cameras.new("eye"))
    aim = np.array([0.55, -1, 0.42])
    eye.location = center + aim / np.linalg.norm(aim) * 2.0 * size
    eye.data.clip_start = 1e-3 * size
    target = bpy.data.objects.new("target", None)
    target.location = center
    look = eye.constraints.new("TRACK_TO")
    look.target, look.track_axis, look.up_axis = target, "TRACK_NEGATIVE_Z", "UP_Y"
    for thing in (sun, eye, target):
        scene.collection.objects.link(thing)
    scene.camera, scene.render.filepath = eye, os.path.abspath(path)
    if wire:
        black = bpy.data.materials.new("lines")
        black.diffuse_color = (0, 0, 0, 1)
        black.use_nodes = True
        black.node_tree.nodes["Principled BSDF"].inputs[0].default_value = (0, 0, 0, 1)
        for thing in [o for o in bpy.data.objects if o.type == "MESH"]:
            thing.data.materials.append(black)
            lines = thing.modifiers.new("lines", "WIREFRAME")
            lines.use_replace, lines.thickness, lines.material_offset = False, 0.0015 * size, 1
    bpy.ops.render.render(write_still=True)


def main():
    glb, ply = sys.argv[1:3]
    numbered = sorted(glob.glob(re.sub(r"\.ply$", ".[0-9]*.ply", ply)))
    frames = [read_ply(path) for path in numbered]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    # So many Blender frames a second that ours fall on whole ones.
    rate = round((len(frames) - 1) / (frames[-1][0] - frames[0][0]))
    scene.render.fps = rate
    bpy.ops.import_scene.gltf(filepath=glb)
    graph, worst = bpy.context.evaluated_depsgraph_get(), 0.0
    everything = np.concatenate(list(frames[0][1].values()))
    low, high = everything.min(0), everything.max(0)
    size = (high - low).max()
    for time, bodies in frames:
        at = rate * (time - frames[0][0])
        scene.frame_set(int(at), subframe=at - int(at))
        graph.update()
        for name, expected in bodies.items():
            found = evaluated(graph, bpy.data.objects[name])
            if found.shape != expected.shape:
                sys.exit(f"{name} at {time} s: {len(found)} vertices, not {len(expected)}")
            worst = max(worst, np.linalg.norm(found - expected, axis=1).max())
    print(f"{len(frames)} frames, {len(frames[0][1])} bodies, {size:.4g} m wide: Blender is off by {worst:.2e} m at most")
    if len(sys.argv) > 4:
        scene.frame_set(int(sys.argv[4]))
        picture(sys.argv[3], (low + high) / 2, size, "WIRE" in sys.argv[5:])
    if worst > ALLOWED * size:
        sys.exit("that is more than rounding")


main()
