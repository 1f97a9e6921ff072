"""Reads exported files with trimesh and pygltflib and compares them with what was given: readers.py FOLDER.

The folder holds one.json and several.json, which say what was written, and the files they name; readers.rs makes them.
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np
import pygltflib
import trimesh

FOLDER = Path(sys.argv[1])
# Metres: some roundings to 32 bits of places less than 4 m from the origin, 2.4e-7 each.
ROUNDING = 1e-6


def close(got, expected, what, error=ROUNDING):
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    assert got.shape == expected.shape, f"{what}: shape {got.shape}, not {expected.shape}"
    worst = np.abs(got - expected).max(initial=0.0)
    assert worst <= error, f"{what}: off by {worst}"


def same(got, expected, what):
    assert got == expected, f"{what}: {got!r}, not {expected!r}"


def triangle_count(model):
    return len(model["triangles"]) + 2 * len(model["quads"])


def box(models):
    points = np.concatenate([m["positions"] for m in models])
    return np.array([points.min(0), points.max(0)])


def z_up(points):
    """Places of a reader's world, where y is up, in ours."""
    return np.column_stack([points[:, 0], -points[:, 2], points[:, 1]])


def check_glb(path, moments):
    check_glb_in_trimesh(path, moments)
    check_glb_played(path, moments)


def check_glb_in_trimesh(path, moments):
    """trimesh knows no animation: it sees every mesh there is, and those of the first moment in their places."""
    scene = trimesh.load(path, process=False)
    first = moments[0]
    for model in first["models"]:
        name = model["name"]
        name = name if name in scene.geometry else f"{name} {first['frame']:04}"
        mesh = scene.geometry[name]
        world, geometry = scene.graph[name]
        same(geometry, name, "node")
        close(z_up(trimesh.transform_points(mesh.vertices, world)), model["positions"], f"{name}: positions")
        close(mesh.vertex_normals, model["normals"], f"{name}: normals")
        same(len(mesh.faces), triangle_count(model), f"{name}: faces")
        assert mesh.is_watertight and mesh.is_winding_consistent, f"{name}: not closed"
        close(mesh.volume, model["volume"], f"{name}: volume")
        check_attributes(mesh.vertex_attributes, model)
        color = mesh.visual.material.main_color
        close(color[:3], 255 * np.array(model["color"]), f"{name}: colour", 0.5)
    close(np.sort(z_up(scene.bounds), axis=0), box(first["models"]), "bounds")


def check_attributes(attributes, model):
    name = model["name"]
    close(np.ravel(attributes["_PRESSURE"]), np.float32(model["pressure"]), f"{name}: pressure", 0.0)
    close(np.ravel(attributes["_ELEMENT"]), model["element"], f"{name}: element", 0.0)
    for axis, velocity in zip("XYZ", np.float32(model["velocity"]).T):
        close(np.ravel(attributes[f"_VELOCITY_{axis}"]), velocity, f"{name}: velocity", 0.0)


class Player:
    """What a program that plays glTF shows, by the rules of the standard."""

    def __init__(self, path):
        self.gltf = pygltflib.GLTF2().load(str(path))
        self.blob = self.gltf.binary_blob()

    def array(self, index):
        accessor = self.gltf.accessors[index]
        view = self.gltf.bufferViews[accessor.bufferView]
        width = {"SCALAR": 1, "VEC3": 3}[accessor.type]
        kind = {pygltflib.FLOAT: "<f4", pygltflib.UNSIGNED_INT: "<u4"}[accessor.componentType]
        start = view.byteOffset + (accessor.byteOffset or 0)
        values = np.frombuffer(self.blob, kind, accessor.count * width, start).reshape(-1, width)
        if accessor.min:
            same(np.float32(accessor.min).tolist(), values.min(0).tolist(), "least of an array")
            same(np.float32(accessor.max).tolist(), values.max(0).tolist(), "greatest of an array")
        return values

    def animated(self, node, path, time):
        for animation in self.gltf.animations:
            for channel in animation.channels:
                if (channel.target.node, channel.target.path) == (node, path):
                    sampler = animation.samplers[channel.sampler]
                    times = self.array(sampler.input)[:, 0]
                    values = self.array(sampler.output).reshape(len(times), -1)
                    if sampler.interpolation == "STEP":
                        return values[max(np.searchsorted(times, time, side="right") - 1, 0)]
                    return np.array([np.interp(time, times, column) for column in values.T])
        return None

    def shown(self, node, time):
        """Meshes at and below a node that are not shrunk to nothing: places and triangles."""
        json_node = self.gltf.nodes[node]
        scale = self.animated(node, "scale", time)
        scale = scale if scale is not None else np.array(json_node.scale or [1.0] * 3)
        if not scale.any():
            return
        move = np.array(json_node.translation or [0.0] * 3)
        if json_node.mesh is not None:
            primitive = self.gltf.meshes[json_node.mesh].primitives[0]
            places = self.array(primitive.attributes.POSITION).astype(float)
            weights = self.animated(node, "weights", time)
            for weight, target in zip([] if weights is None else weights, primitive.targets or []):
                places = places + weight * self.array(target["POSITION"])
            yield move + scale * places, self.array(primitive.indices).reshape(-1, 3)
        for child in json_node.children or []:
            for places, triangles in self.shown(child, time):
                yield move + scale * places, triangles


def check_glb_played(path, moments):
    player = Player(path)
    (root,) = player.gltf.scenes[player.gltf.scene].nodes
    bodies = {player.gltf.nodes[n].name: n for n in player.gltf.nodes[root].children}
    same(list(bodies), [m["name"] for m in moments[0]["models"]], "bodies")
    begin = moments[0]["time"]
    for moment in moments:
        time = np.float32(moment["time"] - begin)
        for model in moment["models"]:
            shown = list(player.shown(bodies[model["name"]], time))
            same(len(shown), 1, f"{model['name']} at {time} s: shapes")
            places, triangles = shown[0]
            close(places, model["positions"], f"{model['name']} at {time} s")
            same(len(triangles), triangle_count(model), f"{model['name']} at {time} s: faces")
    for before, after in zip(moments, moments[1:]):
        # Half-way a body that keeps its faces is half-way; one that does not has not changed yet.
        middle = np.float32(0.5 * (before["time"] + after["time"]) - begin)
        for a, b in zip(before["models"], after["models"]):
            ((places, _),) = player.shown(bodies[a["name"]], middle)
            kept = (a["triangles"], a["quads"]) == (b["triangles"], b["quads"])
            expected = 0.5 * (np.array(a["positions"]) + b["positions"]) if kept else a["positions"]
            close(places, expected, f"{a['name']} between moments")


def check_obj(path, moment):
    scene = trimesh.load(path, process=False)
    names = ["a_ring", "blob", "block__2"]
    same(sorted(scene.geometry), names, "objects")
    for name, model in zip(names, moment["models"]):
        mesh = scene.geometry[name]
        # It counts vertices anew, in the order of faces.
        got, given = np.lexsort(mesh.vertices.T), np.lexsort(np.transpose(model["positions"]))
        close(mesh.vertices[got], np.array(model["positions"])[given], f"{name}: positions", 0.0)
        close(mesh.vertex_normals[got], np.array(model["normals"])[given], f"{name}: normals")
        same(len(mesh.faces), triangle_count(model), f"{name}: faces")
        close(mesh.visual.material.main_color[:3], 255 * np.array(model["color"]), f"{name}: colour", 0.5)
        same(mesh.visual.material.name, name, f"{name}: material")
    close(scene.bounds, box(moment["models"]), "bounds", 0.0)


def check_ply(path, moment):
    mesh = trimesh.load(path, process=False)
    data = mesh.metadata["_ply_raw"]["vertex"]["data"]
    models = moment["models"]
    keys = ("positions", "normals", "velocity", "pressure", "element")
    joined = {key: np.concatenate([m[key] for m in models]) for key in keys}
    close(mesh.vertices, joined["positions"], "positions", 0.0)
    close(np.column_stack([data[k] for k in ("nx", "ny", "nz")]), joined["normals"], "normals", 0.0)
    close(np.column_stack([data[k] for k in ("vx", "vy", "vz")]), joined["velocity"], "velocity", 0.0)
    close(np.ravel(data["pressure"]), joined["pressure"], "pressure", 0.0)
    close(np.ravel(data["element"]), joined["element"], "element", 0.0)
    bodies = np.repeat(range(len(models)), [len(m["positions"]) for m in models])
    close(np.ravel(data["body"]), bodies, "body", 0.0)
    same(len(mesh.faces), sum(map(triangle_count, models)), "faces")
    close(mesh.bounds, box(models), "bounds", 0.0)
    assert mesh.is_watertight and mesh.is_winding_consistent, "not closed"
    close(mesh.volume, sum(m["volume"] for m in models), "volume")


def check_stl(path, moment):
    (count,) = struct.unpack_from("<I", path.read_bytes(), 80)
    mesh = trimesh.load(path)
    models = moment["models"]
    same((len(mesh.faces), count), (sum(map(triangle_count, models)),) * 2, "faces")
    same(len(mesh.vertices), sum(len(m["positions"]) for m in models), "vertices, merged")
    close(mesh.bounds, box(models), "bounds")
    assert mesh.is_watertight and mesh.is_winding_consistent, "not closed"
    close(mesh.area, sum(m["area"] for m in models), "area", 10 * ROUNDING)
    close(mesh.volume, sum(m["volume"] for m in models), "volume", 10 * ROUNDING)


def main():
    for name in ("one", "several"):
        said = json.loads((FOLDER / f"{name}.json").read_text())
        moments = said["moments"]
        frames = {f"{m['frame']:04}": m for m in moments}
        # What a library of materials says is read with the objects that use it.
        for file in (f for f in said["files"] if not f.endswith(".mtl")):
            path = FOLDER / file
            try:
                if path.suffix == ".glb":
                    check_glb(path, moments)
                else:
                    moment = moments[0] if len(moments) == 1 else frames[file.split(".")[1]]
                    {".obj": check_obj, ".ply": check_ply, ".stl": check_stl}[path.suffix](path, moment)
            except Exception as error:
                raise SystemExit(f"{file}: {type(error).__name__}: {error}") from error
            print(f"{file}: read as written")


main()
