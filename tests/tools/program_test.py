# SPDX-License-Identifier: Apache-2.0
"""Tests of the `heddle` program from outside: what it prints, writes and returns."""

import ast
import json
import os
import pathlib
import struct
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ.get("HEDDLE_SOURCE_DIR") or pathlib.Path(__file__).resolve().parents[2])
PROGRAM = os.environ.get("HEDDLE_PROGRAM") or str(ROOT / "build/release/tools/heddle")
MODELS = ROOT / "examples/models"
FLOAT = str(MODELS / "digits_float.tflite")
INT8 = str(MODELS / "digits_int8.tflite")


def picture(digit):
    return str(MODELS / f"images/digit_{digit}.png")


def npy(descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape!r}, }}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def read_npy(path):
    """(descr, shape, values) of a .npy file of int8, int32 or float32."""
    raw = pathlib.Path(path).read_bytes()
    assert raw[:8] == b"\x93NUMPY\x01\x00", raw[:8]
    (length,) = struct.unpack_from("<H", raw, 8)
    header = ast.literal_eval(raw[10 : 10 + length].decode())
    data = raw[10 + length :]
    assert (10 + length) % 64 == 0 and header["fortran_order"] is False
    code, width = {"|i1": ("b", 1), "<i4": ("i", 4), "<f4": ("f", 4)}[header["descr"]]
    return header["descr"], header["shape"], struct.unpack(f"<{len(data) // width}{code}", data)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def call(self, *args):
        return subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, timeout=120)

    def json(self, *args):
        """The one object that --json prints; nothing but remarks on stderr."""
        run = self.call(*args, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        for line in run.stderr.splitlines():
            self.assertTrue(line.startswith("note: "), line)
        return json.loads(run.stdout)

    def assert_fails(self, text, *args):
        """An error on stderr, with or without --json; nothing on stdout; exit status 1."""
        for extra in ((), ("--json",)):
            run = self.call(*args, *extra)
            self.assertEqual(run.returncode, 1, (args, run.stdout, run.stderr))
            self.assertEqual(run.stdout, "")
            self.assertIn(text, run.stderr)
            self.assertTrue(run.stderr.startswith("heddle: "), run.stderr)

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)


class Inspect(Program):
    def test_json(self):
        found = self.json("inspect", INT8)
        self.assertEqual(found["bytes"], os.path.getsize(INT8))
        self.assertTrue(found["runs"])
        self.assertEqual(found["faults"], [])
        self.assertEqual(found["description"], "Handwritten digits, int8.")
        codes = {code["name"]: code for code in found["operator_codes"]}
        self.assertEqual({name: (code["version"], code["count"]) for name, code in codes.items()}, {
            "CONV_2D": (3, 3), "DEPTHWISE_CONV_2D": (3, 1), "ADD": (2, 1), "MAX_POOL_2D": (2, 2),
            "RESHAPE": (1, 1), "FULLY_CONNECTED": (4, 1), "SOFTMAX": (2, 1)})
        for code in codes.values():
            self.assertLessEqual(code["registered"]["min"], code["version"])
            self.assertGreaterEqual(code["registered"]["max"], code["version"])
            self.assertRegex(code["min_runtime_version"], r"^\d+\.\d+\.\d+$")
            self.assertTrue(code["runs"])
        self.assertEqual([op["op"] for op in found["operators"]], [
            "CONV_2D", "DEPTHWISE_CONV_2D", "CONV_2D", "ADD", "MAX_POOL_2D", "CONV_2D", "MAX_POOL_2D",
            "RESHAPE", "FULLY_CONNECTED", "SOFTMAX"])
        self.assertEqual(found["operators"][0]["attributes"]["padding"], "SAME")
        self.assertEqual(found["operators"][4]["attributes"]["filter_width"], "2")
        (signature,) = found["signatures"]
        self.assertEqual(signature["key"], "serving_default")
        self.assertEqual(signature["inputs"][0]["name"], "image")
        self.assertEqual(signature["outputs"][0]["shape"], [1, 10])
        tensors = {tensor["name"]: tensor for tensor in found["tensors"]}
        image = tensors["image"]
        self.assertEqual((image["dtype"], image["shape"]), ("INT8", [1, 8, 8, 1]))
        self.assertEqual(image["shape_signature"], [-1, 8, 8, 1])
        self.assertEqual(image["quantization"]["scales"], [0.003921568859368563])
        self.assertEqual(image["quantization"]["zero_points"], [-128])
        self.assertFalse(image["constant"])
        self.assertTrue(tensors["conv1/weights"]["constant"])
        self.assertEqual(len(tensors["conv1/weights"]["quantization"]["scales"]), 16)
        self.assertIn("TFLITE_METADATA", [entry["name"] for entry in found["metadata"]])
        self.assertEqual(found["files"], ["labels.txt"])
        self.assertGreaterEqual(found["memory"]["arena_bytes"], found["memory"]["arena_lower_bound_bytes"])
        self.assertGreater(found["memory"]["arena_lower_bound_bytes"], 0)

    def test_text_fits_100_columns(self):
        run = self.call("inspect", INT8, "--operators", "--tensors")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertLessEqual(max(map(len, run.stdout.splitlines())), 100)
        for text in ("DEPTHWISE_CONV_2D", "serving_default", "since TFLite", "conv1/weights", "padding=SAME"):
            self.assertIn(text, run.stdout)

    def test_an_op_of_a_newer_version_is_marked(self):
        changed = self.with_version_99("FULLY_CONNECTED")
        found = self.json("inspect", changed)
        self.assertFalse(found["runs"])
        bad = [code for code in found["operator_codes"] if not code["runs"]]
        self.assertEqual([(code["name"], code["version"]) for code in bad], [("FULLY_CONNECTED", 99)])
        self.assertEqual(bad[0]["reason"], "OP_VERSION_TOO_NEW")
        self.assertIn("FULLY_CONNECTED", bad[0]["message"])
        run = self.call("inspect", changed)
        self.assertEqual(run.returncode, 0)
        self.assertIn("CANNOT RUN: OP_VERSION_TOO_NEW", run.stdout)
        self.assertIn("this model cannot run", run.stdout)
        self.assert_fails("FULLY_CONNECTED", "run", changed)

    def with_version_99(self, op):
        """The int8 model with this op's version changed: whichever word of the file does it."""
        model = pathlib.Path(INT8).read_bytes()
        (version,) = [code["version"] for code in self.json("inspect", INT8)["operator_codes"] if code["name"] == op]
        for at in range(0, len(model) - 4, 4):
            if struct.unpack_from("<i", model, at)[0] != version:
                continue
            path = self.write("newer.tflite", model[:at] + struct.pack("<i", 99) + model[at + 4 :])
            run = self.call("inspect", path, "--json")
            if run.returncode == 0 and any((code["name"], code["version"]) == (op, 99)
                                           for code in json.loads(run.stdout)["operator_codes"]):
                return path
        self.fail("no word of the file is this version")

    def test_faults(self):
        self.assert_fails("no-such.tflite", "inspect", "no-such.tflite")
        self.assert_fails("verify", "inspect", self.write("cut.tflite", pathlib.Path(INT8).read_bytes()[:2000]))
        self.assert_fails("TFL3", "inspect", self.write("text.tflite", b"this is not a model at all, only text"))
        self.assert_fails(str(self.folder), "inspect", self.folder)


class Run(Program):
    def test_digits_from_pictures(self):
        for model in (FLOAT, INT8):
            for digit in range(10):
                found = self.json("run", model, "--input", f"image={picture(digit)}")
                best = found["outputs"][0]["top"][0][0]
                self.assertEqual(best["label"], str(digit))
                self.assertGreater(best["confidence"], 0.9)

    def test_json_keys_and_files(self):
        found = self.json("run", INT8, "--input", f"0={picture(3)}", "--output", self.folder / "out")
        (output,) = found["outputs"]
        self.assertEqual((output["name"], output["index"], output["dtype"], output["shape"]),
                         ("probabilities", 0, "INT8", [1, 10]))
        descr, shape, values = read_npy(self.folder / "out" / output["file"])
        self.assertEqual((descr, shape), ("|i1", (1, 10)))
        self.assertEqual(list(values), output["values"])
        self.assertEqual(values.index(max(values)), 3)
        self.assertEqual(found["inputs"][0]["source"], picture(3))

    def test_without_output_no_file(self):
        found = self.json("run", FLOAT)
        self.assertIsNone(found["outputs"][0]["file"])
        self.assertEqual(found["inputs"][0]["source"], "zeros")

    def test_text(self):
        run = self.call("run", FLOAT, "--input", picture(7), "--show-image", "--top", "2")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("    1. 7  0.99", run.stdout)
        self.assertNotIn("    3. ", run.stdout)
        self.assertIn("@@", run.stdout)
        self.assertIn("note: ", run.stderr)

    def test_a_picture_and_its_numbers_agree(self):
        pixels = struct.unpack("<64f", self.image_numbers())
        path = self.write("image.npy", npy("<f4", (1, 8, 8, 1), struct.pack("<64f", *pixels)))
        a = self.json("run", FLOAT, "--input", f"image={path}")["outputs"][0]["values"]
        b = self.json("run", FLOAT, "--input", f"image={picture(0)}")["outputs"][0]["values"]
        self.assertEqual(a, b)
        # float64 is converted, floats are quantised, both with a remark
        path = self.write("wide.npy", npy("<f8", (1, 8, 8, 1), struct.pack("<64d", *pixels)))
        wide = self.json("run", FLOAT, "--input", f"image={path}")
        self.assertEqual(wide["outputs"][0]["values"], a)
        self.assertIn("FLOAT64: converted to FLOAT32", " ".join(wide["notes"]))
        quantised = self.json("run", INT8, "--input", f"image={path}")
        self.assertIn("quantised to INT8", " ".join(quantised["notes"]))
        self.assertEqual(quantised["outputs"][0]["values"],
                         self.json("run", INT8, "--input", f"image={picture(0)}")["outputs"][0]["values"])

    def image_numbers(self):
        """What the float model is fed for digit 0, by --dump-tensors."""
        found = self.json("run", FLOAT, "--input", f"image={picture(0)}", "--dump-tensors", self.folder / "dump")
        names = {tensor["name"]: tensor for tensor in found["tensors"]}
        self.assertIn("conv1", names)
        self.assertEqual(names["probabilities"]["shape"], [1, 10])
        descr, shape, values = read_npy(self.folder / "dump" / names["image"]["file"])
        self.assertEqual((descr, shape), ("<f4", (1, 8, 8, 1)))
        return struct.pack("<64f", *values)

    def test_npz_fills_by_name_and_resizes(self):
        batch = npy("|i1", (3, 8, 8, 1), bytes(range(64)) * 3)
        path = self.folder / "in.npz"
        for compression in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(path, "w", compression) as archive:
                with archive.open("image.npy", "w", force_zip64=True) as member:  # as numpy does
                    member.write(batch)
            found = self.json("run", INT8, "--input", path)
            self.assertEqual(found["outputs"][0]["shape"], [3, 10])
            self.assertEqual(len(found["outputs"][0]["top"]), 3)
            self.assertIn("resized from [1,8,8,1] to [3,8,8,1]", " ".join(found["notes"]))
        self.assertEqual(self.json("run", INT8, "--input", f"image={path}:image")["outputs"], found["outputs"])

    def test_random_seed(self):
        def values(*args):
            return self.json("run", FLOAT, *args)["outputs"][0]["values"]
        self.assertEqual(values("--random-seed", 1), values("--random-seed", 1))
        self.assertNotEqual(values("--random-seed", 1), values("--random-seed", 2))

    def test_reference_kernels_signature_and_threads(self):
        found = self.json("run", INT8, "--input", f"image={picture(5)}", "--kernels", "ref", "--delegate", "none",
                          "--threads", 1, "--signature", "serving_default", "--runs", 3)
        self.assertEqual(found["outputs"][0]["top"][0][0]["label"], "5")
        self.assertEqual(found["runs"], 3)

    def test_own_labels(self):
        labels = self.write("names.txt", "".join(f"name {i}\n" for i in range(10)).encode())
        found = self.json("run", FLOAT, "--input", picture(4), "--labels", labels)
        self.assertEqual(found["outputs"][0]["top"][0][0]["label"], "name 4")

    def test_faults(self):
        self.assert_fails("no-such.tflite", "run", "no-such.tflite")
        self.assert_fails("there is no input 'picture'; the inputs are 0 'image'",
                          "run", FLOAT, "--input", f"picture={picture(0)}")
        self.assert_fails("no-such.png: no such file", "run", FLOAT, "--input", "image=no-such.png")
        self.assert_fails("is given twice", "run", FLOAT, "--input", picture(0), "--input", f"0={picture(1)}")
        text = self.write("text.txt", b"hello")
        self.assert_fails("is no .npy, .npz, PNG, JPEG, BMP or WAV file", "run", FLOAT, "--input", f"image={text}")
        flat = self.write("flat.npy", npy("<f4", (64,), bytes(256)))
        self.assert_fails("the number of dimensions differs", "run", FLOAT, "--input", f"image={flat}")
        cut = self.write("cut.npy", npy("<f4", (1, 8, 8, 1), bytes(100)))
        self.assert_fails("does not match the 100 bytes", "run", FLOAT, "--input", f"image={cut}")
        deep = self.write("deep.npy", npy("<f4", (1, 8, 8, 3), bytes(768)))
        self.assert_fails("CONV_2D", "run", FLOAT, "--input", f"image={deep}")
        words = self.write("words.npy", npy("|S2", (1, 8, 8, 1), bytes(128)))
        self.assert_fails("is STRING, the tensor 'image' is FLOAT32", "run", FLOAT, "--input", f"image={words}")
        wide = self.write("wide.npy", npy("<i4", (1, 8, 8, 1), struct.pack("<64i", *[300] * 64)))
        self.assert_fails("cannot hold the value 300", "run", INT8, "--input", f"image={wide}")
        self.assert_fails("is no list of sizes", "run", FLOAT, "--resize", "image=1,x")
        self.assert_fails("nonsense", "run", FLOAT, "--signature", "nonsense")
        self.assert_fails("no delegate 'cpu'", "run", FLOAT, "--delegate", "cpu")
        self.assert_fails("labels.txt: no such file", "run", FLOAT, "--labels", self.folder / "labels.txt")
        self.assert_fails("text.txt", "run", FLOAT, "--output", text)
        self.assert_fails("PLUGIN", "run", FLOAT, "--plugin", text)


class Bench(Program):
    def test_json(self):
        found = self.json("bench", FLOAT, "--threads", 1, "--runs", 20, "--warmup", 2)
        self.assertEqual((found["threads"], found["runs"], found["warmup_runs"]), (1, 20, 2))
        latency = found["latency_ms"]
        self.assertLess(0, latency["min"])
        self.assertLessEqual(latency["min"], latency["p50"])
        self.assertLessEqual(latency["p50"], latency["p90"])
        self.assertLessEqual(latency["p90"], latency["p99"])
        self.assertLessEqual(latency["p99"], latency["max"])
        self.assertLessEqual(latency["min"], latency["mean"])
        for key in ("init_ms", "first_inference_ms", "arena_bytes", "arena_lower_bound_bytes"):
            self.assertGreater(found[key], 0, key)
        self.assertGreaterEqual(found["arena_bytes"], found["arena_lower_bound_bytes"])
        self.assertGreater(found["peak_memory_bytes"], 1 << 20)
        self.assertAlmostEqual(found["init_ms"], sum(found["init_parts_ms"].values()))

    def test_runs_long_enough_by_itself(self):
        found = self.json("bench", INT8, "--threads", 1)
        self.assertGreaterEqual(found["runs"], 50)
        self.assertGreaterEqual(found["runs"] * found["latency_ms"]["mean"], 900)

    def test_profile(self):
        profile = self.json("bench", INT8, "--threads", 1, "--runs", 5, "--profile")["profile"]
        self.assertEqual(profile["runs"], 5)
        self.assertEqual([(node["operator"], node["op"]) for node in profile["nodes"]][:2],
                         [(0, "CONV_2D"), (1, "DEPTHWISE_CONV_2D")])
        self.assertEqual(len(profile["nodes"]), 10)
        self.assertTrue(all(node["count"] == 5 for node in profile["nodes"]))
        self.assertAlmostEqual(sum(node["share"] for node in profile["nodes"]), 1, places=6)
        self.assertEqual({op["op"]: op["count"] for op in profile["ops"]}["CONV_2D"], 15)
        run = self.call("bench", INT8, "--runs", 5, "--profile")
        self.assertIn("FULLY_CONNECTED", run.stdout)
        self.assertEqual(run.stderr, "")  # no progress without a terminal

    def test_faults(self):
        self.assert_fails("no-such.tflite", "bench", "no-such.tflite")


class Ops(Program):
    def test_list(self):
        run = self.call("ops", FLOAT, INT8)
        self.assertEqual(run.returncode, 0, run.stderr)
        names = [line.split("#")[0].strip() for line in run.stdout.splitlines()]
        self.assertEqual([name for name in names if name], [
            "ADD", "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "MAX_POOL_2D", "RESHAPE", "SOFTMAX"])

    def test_the_selective_build_takes_the_list(self):
        ops = self.write("ops.txt", self.call("ops", INT8).stdout.encode())
        subprocess.run(["cmake", f"-DLIST={ROOT / 'kernels/builtin_ops.inc'}", f"-DOPS={ops}",
                        f"-DOUTPUT={self.folder / 'selected.inc'}", "-P", str(ROOT / "cmake/HeddleSelectOps.cmake")],
                       check=True, capture_output=True)
        self.assertEqual((self.folder / "selected.inc").read_text().count("HEDDLE_BUILTIN_OP("), 7)

    def test_json(self):
        found = self.json("ops", FLOAT, INT8)
        ops = {op["name"]: op for op in found["ops"]}
        self.assertEqual((ops["CONV_2D"]["min_version"], ops["CONV_2D"]["max_version"]), (1, 3))
        self.assertEqual(ops["CONV_2D"]["count"], 6)
        self.assertEqual(ops["ADD"]["models"], [FLOAT, INT8])
        self.assertEqual(found["models"], [FLOAT, INT8])

    def test_faults(self):
        self.assert_fails("no-such.tflite", "ops", FLOAT, "no-such.tflite")


class CommandLine(Program):
    def test_help_and_version(self):
        for command in ("inspect", "run", "bench", "ops"):
            self.assertIn(command, self.call("--help").stdout)
            run = self.call(command, "--help")
            self.assertEqual(run.returncode, 0)
            self.assertIn("--json", run.stdout)
        run = self.call("--version")
        self.assertEqual(run.returncode, 0)
        self.assertIn("libheddle", run.stdout)

    def test_wrong_use(self):
        for args in ((), ("dance",), ("run",), ("run", FLOAT, "--threads", "-1"), ("run", FLOAT, "--kernels", "fast"),
                     ("bench", FLOAT, "--runs", "0"), ("run", FLOAT, "--no-such-option")):
            run = self.call(*args)
            self.assertEqual(run.returncode, 2, args)
            self.assertEqual(run.stdout, "")
            self.assertNotEqual(run.stderr, "")


if __name__ == "__main__":
    unittest.main()
