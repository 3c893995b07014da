# SPDX-License-Identifier: Apache-2.0
"""What the comparisons need of heddle.h, through ctypes."""

import ctypes
from ctypes import POINTER, c_char_p, c_float, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np

DTYPES = {0: np.float32, 1: np.float16, 2: np.int32, 3: np.uint8, 4: np.int64, 6: np.bool_,
          7: np.int16, 8: np.complex64, 9: np.int8, 10: np.float64, 11: np.complex128,
          12: np.uint64, 15: np.uint32, 16: np.uint16}
STRING = 5
UNRESOLVED_OPS = 3


class _Struct(ctypes.Structure):
    def __init__(self):
        super().__init__()
        self.struct_size = ctypes.sizeof(self)


class _ErrorInfo(_Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("status", c_int32), ("phase", c_int32), ("reason", c_int32),
        ("message", c_char_p), ("next_step", c_char_p), ("place", c_char_p), ("subgraph", c_int32),
        ("operator_index", c_int32), ("plan_position", c_int32), ("op_name", c_char_p),
        ("op_version", c_int32), ("tensor", c_int32), ("tensor_name", c_char_p)]


class _EnvironmentOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("header_version", c_uint32), ("num_threads", c_int32),
        ("allocator", c_void_p), ("log_sink", c_void_p), ("isa_limit", c_int32),
        ("max_log_lines", c_int32)]


class _InterpreterOptions(_Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("resolver", c_void_p), ("num_threads", c_int32),
        ("slots", c_int32), ("kernels", c_int32), ("preserve_all_tensors", c_int32),
        ("max_plan_cache_bytes", c_uint64), ("max_dynamic_bytes", c_uint64)]


class _Quantization(_Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("kind", c_int32), ("axis", c_int32), ("count", c_size_t),
        ("scales", POINTER(c_float)), ("zero_points", POINTER(c_int64)),
        ("zero_point_count", c_size_t), ("block_size", c_int32), ("scales_tensor", c_int32),
        ("zero_points_tensor", c_int32), ("axes", POINTER(c_int32)), ("axis_count", c_size_t)]


class _TensorInfo(_Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("name", c_char_p), ("dtype", c_int32), ("rank", c_int32),
        ("dims", POINTER(c_int32)), ("shape_signature", POINTER(c_int32)), ("bytes", c_uint64),
        ("is_variable", c_int32), ("is_constant", c_int32), ("is_sparse", c_int32),
        ("is_shape_known", c_int32), ("quantization", POINTER(_Quantization))]


class _MemoryInfo(_Struct):
    _fields_ = [
        ("struct_size", c_size_t), ("arena_bytes", c_uint64), ("arena_lower_bound_bytes", c_uint64),
        ("dynamic_bytes", c_uint64), ("variable_bytes", c_uint64),
        ("shared_weight_bytes", c_uint64), ("plan_count", c_uint64)]


class Refused(Exception):
    """An error of the library: its first fault's words, and the ops that it names."""

    def __init__(self, status, message, ops):
        super().__init__(message)
        self.status, self.message, self.ops = status, message, ops


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.heddle_error_get_count.restype = c_size_t
        for name in ("input", "output"):
            count = getattr(self.c, f"heddle_interpreter_get_{name}_count")
            count.restype, count.argtypes = c_size_t, [c_void_p]
            text = getattr(self.c, f"heddle_interpreter_get_{name}_name")
            text.restype, text.argtypes = c_char_p, [c_void_p, c_size_t]
            data = getattr(self.c, f"heddle_interpreter_get_{name}_data")
            data.restype, data.argtypes = c_void_p, [c_void_p, c_size_t]
        options = _EnvironmentOptions()
        options.header_version = 1 << 8
        options.num_threads = 1
        self.environment = c_void_p()
        self.call("heddle_environment_create", ctypes.byref(options),
                  ctypes.byref(self.environment))

    def call(self, function, *args):
        error = c_void_p()
        status = getattr(self.c, function)(*args, ctypes.byref(error))
        if status == 0:
            return
        faults = []
        for i in range(self.c.heddle_error_get_count(error)):
            info = _ErrorInfo()
            self.c.heddle_error_get_info(error, c_size_t(i), ctypes.byref(info))
            faults.append((info.message.decode(errors="replace"),
                           f"{info.op_name.decode(errors='replace')} {info.op_version}"
                           if info.op_name else ""))
        self.c.heddle_error_destroy(error)
        ops = sorted({op for _, op in faults if op})
        raise Refused(status, faults[0][0] if faults else f"status {status}", ops)

    def builtin_versions(self):
        """(min, max) by builtin code, for the default resolver."""
        resolver = c_void_p()
        self.call("heddle_op_resolver_create_default", ctypes.byref(resolver))
        found = {}
        for code in range(512):
            low, high = c_int32(), c_int32()
            if self.c.heddle_op_resolver_get_versions(
                    resolver, c_int32(code), None, ctypes.byref(low), ctypes.byref(high)) == 0:
                found[code] = (low.value, high.value)
        self.c.heddle_op_resolver_destroy(resolver)
        return found


class Interpreter:
    def __init__(self, library, content, reference=True, signature=None):
        self.library, self.c = library, library.c
        self.content = content  # borrowed by the model
        self.model, self.handle = c_void_p(), c_void_p()
        library.call("heddle_model_create_from_memory", library.environment, c_char_p(content),
                     c_size_t(len(content)), c_uint32(0), ctypes.byref(self.model))
        options = _InterpreterOptions()
        options.num_threads = 1
        options.kernels = 1 if reference else 0
        library.call("heddle_interpreter_create", library.environment, self.model,
                     ctypes.byref(options), ctypes.byref(self.handle))
        if signature is not None:
            library.call("heddle_interpreter_select_signature", self.handle,
                         c_char_p(signature.encode()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.c.heddle_interpreter_destroy(self.handle)
        self.c.heddle_model_destroy(self.model)

    def input_count(self):
        return self.c.heddle_interpreter_get_input_count(self.handle)

    def output_count(self):
        return self.c.heddle_interpreter_get_output_count(self.handle)

    def name(self, kind, index):
        return getattr(self.c, f"heddle_interpreter_get_{kind}_name")(self.handle, index).decode()

    def info(self, kind, index):
        info = _TensorInfo()
        getattr(self.c, f"heddle_interpreter_get_{kind}_info")(
            self.handle, c_size_t(index), ctypes.byref(info))
        return info

    def resize(self, index, shape):
        dims = (c_int32 * max(len(shape), 1))(*shape)
        self.library.call("heddle_interpreter_resize_input", self.handle, c_size_t(index), dims,
                          c_int32(len(shape)), c_int32(0))

    def prepare(self):
        self.library.call("heddle_interpreter_prepare", self.handle)

    def set_input(self, index, value):
        data = pack_strings(value) if value.dtype == object else np.ascontiguousarray(value).tobytes()
        self.library.call("heddle_interpreter_set_input", self.handle, c_size_t(index),
                          c_char_p(data), c_size_t(len(data)))

    def invoke(self):
        self.library.call("heddle_interpreter_invoke", self.handle, None)

    def output(self, index):
        info = self.info("output", index)
        shape = tuple(info.dims[i] for i in range(info.rank))
        data = self.c.heddle_interpreter_get_output_data(self.handle, index)
        if info.dtype == STRING:
            return unpack_strings(data, shape)
        dtype = np.dtype(DTYPES[info.dtype])
        count = int(np.prod(shape, dtype=np.int64))
        if count == 0:
            return np.empty(shape, dtype)
        return np.frombuffer(ctypes.string_at(data, count * dtype.itemsize), dtype).reshape(shape)

    def memory(self):
        info = _MemoryInfo()
        self.c.heddle_interpreter_get_memory(self.handle, ctypes.byref(info))
        return info.arena_bytes, info.arena_lower_bound_bytes


def pack_strings(value):
    """TFLite's form: count, offsets from the start of the buffer, characters."""
    texts = [t if isinstance(t, bytes) else str(t).encode() for t in value.reshape(-1)]
    offsets = np.cumsum([4 * (len(texts) + 2)] + [len(t) for t in texts])
    return np.asarray([len(texts), *offsets], np.int32).tobytes() + b"".join(texts)


def unpack_strings(data, shape):
    if not data:
        return np.empty(shape, object)
    count = np.frombuffer(ctypes.string_at(data, 4), np.int32)[0]
    offsets = np.frombuffer(ctypes.string_at(data + 4, 4 * (count + 1)), np.int32)
    whole = ctypes.string_at(data, int(offsets[-1]))
    value = np.empty(count, object)
    value[:] = [whole[offsets[i]:offsets[i + 1]] for i in range(count)]
    return value.reshape(shape)
