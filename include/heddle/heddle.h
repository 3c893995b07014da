/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heddle's C API for applications.
 *
 * Conventions, stated once:
 *  - Objects are opaque. `heddle_X_create*` gives an object that the caller owns,
 * `heddle_X_destroy` ends the caller's ownership; destroying NULL does nothing. Objects keep alive
 * what they need (an interpreter its model, a model its environment), so they may be destroyed in
 * any order.
 *  - A function that can fail returns a heddle_status and takes `heddle_error** error` last.
 * `error` may be NULL. On failure *error receives an object that the caller destroys; on success it
 * is left alone. Out-parameters are written on success only.
 *  - Strings are UTF-8 and NUL-terminated. A `const char*` that is returned stays valid as long as
 * the object that it came from, unless the function says otherwise.
 *  - Structs begin with `struct_size`, set by the caller to sizeof the struct as it knows it (the
 * *_INIT macros do so). A library that knows a longer struct takes defaults for what is missing;
 * one that knows a shorter struct refuses non-zero bytes behind it.
 *  - Threads: distinct objects may be used on distinct threads at once. A model, a resolver that is
 * no longer changed, an environment, a buffer, an event and a cancel token may be shared by
 * threads. An interpreter is for one thread at a time (see heddle_interpreter_run for slots); a
 * second thread is refused with HEDDLE_REASON_CONCURRENT_USE instead of a crash.
 *  - fork: a child process must not use objects made before the fork, since their threads do not
 * exist there. It may destroy them; any other call that would need those threads is refused with
 * HEDDLE_REASON_FORKED.
 *  - Sizes are in bytes, times in nanoseconds unless a name says otherwise.
 */
#ifndef HEDDLE_HEDDLE_H_
#define HEDDLE_HEDDLE_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define HEDDLE_API
#else
#define HEDDLE_API __attribute__((visibility("default")))
#endif

/* Version of this header; the library's own comes from heddle_library_get_info. */
#define HEDDLE_VERSION_MAJOR 0
#define HEDDLE_VERSION_MINOR 1
#define HEDDLE_VERSION_PATCH 0
#define HEDDLE_VERSION_NUMBER \
  ((HEDDLE_VERSION_MAJOR << 24) | (HEDDLE_VERSION_MINOR << 16) | HEDDLE_VERSION_PATCH)

/* ---- Status, phase, reason
 * ----------------------------------------------------------------------------------- */

/* What kind of failure: enough to decide what to do next. Values never change. */
typedef enum heddle_status {
  HEDDLE_OK = 0,
  HEDDLE_INVALID_ARGUMENT = 1,    /* the call is wrong; do not repeat it */
  HEDDLE_INVALID_MODEL = 2,       /* the bytes are malformed or contradict themselves */
  HEDDLE_UNRESOLVED_OPS = 3,      /* ops that no kernel and no delegate has */
  HEDDLE_UNSUPPORTED = 4,         /* well-formed, but this build or kernel cannot do it */
  HEDDLE_NOT_FOUND = 5,           /* a file, name, signature or index that does not exist */
  HEDDLE_FAILED_PRECONDITION = 6, /* right call, wrong time: not prepared, in use, ... */
  HEDDLE_RESOURCE_EXHAUSTED = 7,  /* memory or a stated limit */
  HEDDLE_CANCELLED = 8,           /* a cancel token was triggered */
  HEDDLE_DEADLINE_EXCEEDED = 9,   /* the deadline passed between two nodes */
  HEDDLE_IO_ERROR = 10,           /* the operating system refused to read or map */
  HEDDLE_VERSION_MISMATCH = 11,   /* header, library or plugin are of different ages */
  HEDDLE_KERNEL_FAILED =
      12, /* a kernel failed while running: usually data (an index out of range) */
  HEDDLE_DELEGATE_FAILED = 13, /* a delegate failed */
  HEDDLE_INTERNAL = 14,        /* a fault of Heddle's; please report */
  HEDDLE_STATUS_FORCE_INT32 = 0x7fffffff
} heddle_status;

/* Where in the life of a model it happened. */
typedef enum heddle_phase {
  HEDDLE_PHASE_NONE = 0,
  HEDDLE_PHASE_API = 1,      /* arguments of the call itself */
  HEDDLE_PHASE_LOAD = 2,     /* file, mapping, bytes */
  HEDDLE_PHASE_VERIFY = 3,   /* structure of the model */
  HEDDLE_PHASE_RESOLVE = 4,  /* operator codes to registrations */
  HEDDLE_PHASE_INIT = 5,     /* an op read its attributes */
  HEDDLE_PHASE_PLAN = 6,     /* shapes and types */
  HEDDLE_PHASE_DELEGATE = 7, /* delegates */
  HEDDLE_PHASE_PREPARE = 8,  /* kernels chosen for the shapes */
  HEDDLE_PHASE_MEMORY = 9,   /* memory plan and allocation */
  HEDDLE_PHASE_INVOKE = 10,  /* running */
  HEDDLE_PHASE_PLUGIN = 11,  /* loading a plugin */
  HEDDLE_PHASE_FORCE_INT32 = 0x7fffffff
} heddle_phase;

/*
 * Why: the one list of reasons for errors, fallbacks, refusals and copies. X(NAME, value, words,
 * remedy). Values never change; new ones are added at the end of their group.
 */
#define HEDDLE_REASON_LIST(X)                                                                      \
  X(NONE, 0, "no reason given", "")                                                                \
  /* calls */                                                                                      \
  X(NULL_ARGUMENT, 1, "a required argument is NULL", "pass a valid pointer")                       \
  X(BAD_ARGUMENT, 2, "an argument is out of range", "see the function's description in heddle.h")  \
  X(STRUCT_SIZE, 3,                                                                                \
    "struct_size is missing or the struct has fields that this library does not know",             \
    "initialise the struct with its _INIT macro; use a library at least as new as the header")     \
  X(LIBRARY_TOO_OLD, 4, "the library is older than the header that the program was built with",    \
    "check which libheddle is loaded (heddle_library_get_info gives its path)")                    \
  X(CONCURRENT_USE, 5, "the interpreter is in use by another thread",                              \
    "use one interpreter a thread, or create it with slots and call heddle_interpreter_run")       \
  X(NOT_PREPARED, 6, "the interpreter has not been prepared",                                      \
    "call heddle_interpreter_prepare first")                                                       \
  X(FORKED, 7, "the object was made before fork() and its threads do not exist in this process",   \
    "create the environment after the fork")                                                       \
  X(BUFFER_TOO_SMALL, 8, "the buffer is smaller than the tensor",                                  \
    "use a buffer of at least the tensor's bytes")                                                 \
  X(NAME_UNKNOWN, 9, "no such name", "heddle inspect lists the names")                             \
  X(SLOTS_NEED_STATELESS, 10,                                                                      \
    "several slots are impossible for a model with variables, resources or stateful ops",          \
    "create one interpreter for each stream")                                                      \
  X(DTYPE_MISMATCH, 11, "the data type differs from the tensor's", "convert the data first")       \
  X(SHAPE_MISMATCH, 12, "the shape differs from the tensor's", "resize the input first")           \
  X(NOT_RESIZABLE, 13, "the model fixes this dimension",                                           \
    "resize without the strict flag to override")                                                  \
  /* system */                                                                                     \
  X(OUT_OF_MEMORY, 20, "an allocation failed", "free memory or raise the limit")                   \
  X(LIMIT_EXCEEDED, 21, "a stated limit was exceeded", "raise the limit in the options")           \
  X(FILE_NOT_FOUND, 22, "the file does not exist", "check the path")                               \
  X(FILE_UNREADABLE, 23, "the file cannot be read",                                                \
    "check permissions, and that it is a regular file")                                            \
  X(MAP_FAILED, 24, "the file cannot be mapped into memory", "load it from memory instead")        \
  X(RANGE_OUTSIDE_FILE, 25, "offset and length lie outside the file", "check offset and length")   \
  X(CANCELLED, 26, "the run was cancelled", "")                                                    \
  X(DEADLINE, 27, "the deadline passed",                                                           \
    "raise the deadline, or find the slow node with heddle bench --profile")                       \
  X(INTERNAL, 28, "a fault inside Heddle", "report it with the model")                             \
  X(THREAD_NOT_STARTED, 29, "the system refuses to start a thread",                                \
    "raise the process's limit of threads")                                                        \
  /* model bytes */                                                                                \
  X(TOO_SHORT, 40, "the data is too short for a model",                                            \
    "the file is truncated or is not a .tflite model")                                             \
  X(NOT_TFLITE, 41, "the file identifier is not TFL3", "convert the model to .tflite first")       \
  X(SCHEMA_VERSION, 42, "the schema version is not 3", "convert the model again")                  \
  X(MALFORMED, 43, "the flatbuffer is malformed", "the file is damaged: fetch it again")           \
  X(INDEX_OUT_OF_RANGE, 44, "an index points outside its table",                                   \
    "the file is damaged or its writer is at fault")                                               \
  X(OFFSET_OUT_OF_RANGE, 45, "offset and size point outside the file",                             \
    "the file is damaged or truncated")                                                            \
  X(BAD_SHAPE, 46, "a shape is negative or overflows",                                             \
    "the file is damaged or its writer is at fault")                                               \
  X(BAD_TYPE, 47, "a tensor type is unknown to this runtime", "use a newer Heddle")                \
  X(BUFFER_SIZE_MISMATCH, 48, "a constant's bytes do not match its type and shape",                \
    "the file is damaged")                                                                         \
  X(BAD_QUANTIZATION, 49, "quantisation arrays contradict each other or the shape",                \
    "convert the model again")                                                                     \
  X(BAD_SPARSITY, 50, "sparsity parameters contradict the shape", "convert the model again")       \
  X(CALL_CYCLE, 51, "subgraphs call each other in a cycle",                                        \
    "the file is damaged: recursion is not allowed")                                               \
  X(CALL_DEPTH, 52, "subgraph calls nest too deeply", "simplify the model's control flow")         \
  X(DATA_CYCLE, 53, "operators depend on each other in a cycle", "the file is damaged")            \
  X(NO_SUBGRAPH, 54, "the model has no subgraph", "the file is damaged or empty")                  \
  X(MISSING_PRODUCER, 55, "a tensor is read but nothing produces it", "the file is damaged")       \
  X(DUPLICATE_PRODUCER, 56, "a tensor is written by more than one operator",                       \
    "the file is damaged")                                                                         \
  X(SIGNATURE_MISMATCH, 57, "a signature does not fit its subgraph", "convert the model again")    \
  X(BAD_OPTIONS, 58, "an operator's options are of another op's table", "convert the model again") \
  X(MISALIGNED_COPIED, 59, "the model's bytes were misaligned and have been copied",               \
    "pass memory aligned to 16 bytes to save the copy")                                            \
  X(BAD_STRING_TENSOR, 60, "a string tensor's offsets contradict its bytes",                       \
    "the file is damaged")                                                                         \
  /* resolving ops */                                                                              \
  X(OP_CODE_UNKNOWN, 80, "the builtin code is unknown to this runtime", "use a newer Heddle")      \
  X(OP_NOT_REGISTERED, 81, "the op is known but not registered in this resolver or build",         \
    "add it to the resolver, or to the op list of a selective build (heddle ops MODEL)")           \
  X(OP_VERSION_TOO_NEW, 82, "the model wants a newer version of the op than is registered",        \
    "update the runtime, or convert for an older one")                                             \
  X(OP_VERSION_TOO_OLD, 83, "the model wants an older version of the op than is registered",       \
    "convert the model again, or register the older version")                                      \
  X(CUSTOM_OP_UNKNOWN, 84, "no custom op of this name is registered",                              \
    "register it, or load the plugin that has it")                                                 \
  X(CUSTOM_OP_NEAR_MISS, 85,                                                                       \
    "no custom op of this name is registered, but one of a similar name is",                       \
    "names are case-sensitive: correct the name")                                                  \
  X(FLEX_OP, 86, "this is a TensorFlow op that needs a Flex delegate",                             \
    "convert the model again without select TensorFlow ops, or attach a delegate that claims it")  \
  X(CUSTOM_OP_NO_NAME, 87, "a custom op has no name", "the file is damaged")                       \
  /* shapes, kernels */                                                                            \
  X(WRONG_OPERAND_COUNT, 100, "the op has a wrong number of inputs or outputs",                    \
    "the model is at fault")                                                                       \
  X(MISSING_OPERAND, 101, "a required input is absent", "the model is at fault")                   \
  X(TYPE_NOT_SUPPORTED, 102, "the kernel does not support this type",                              \
    "convert the model with a supported type")                                                     \
  X(TYPES_DIFFER, 103, "operand types do not fit together", "the model is at fault")               \
  X(SHAPE_NOT_SUPPORTED, 104, "the kernel does not support this shape", "see docs/ops.md")         \
  X(SHAPES_DIFFER, 105, "operand shapes do not fit together",                                      \
    "the model or the input's shape is at fault")                                                  \
  X(ATTRIBUTE_NOT_SUPPORTED, 106, "the kernel does not support this attribute value",              \
    "see docs/ops.md")                                                                             \
  X(ATTRIBUTE_INVALID, 107, "an attribute is invalid", "the model is at fault")                    \
  X(QUANTIZATION_NOT_SUPPORTED, 108, "the kernel does not support this quantisation",              \
    "see docs/ops.md")                                                                             \
  X(NOT_CONSTANT, 109, "an operand must be a constant", "see docs/ops.md")                         \
  X(SIZE_OVERFLOW, 110, "a size overflows", "the model or the input's shape is at fault")          \
  X(DATA_OUT_OF_RANGE, 111, "a value in the data is out of range", "check the inputs")             \
  X(NO_KERNEL, 112, "no kernel and no delegate took this op", "see the other messages")            \
  X(OUTPUT_NOT_SET, 113, "an op did not give an output its shape or data",                         \
    "the op's implementation is at fault")                                                         \
  X(SUBGRAPH_MISMATCH, 114, "a called subgraph does not fit its caller", "the model is at fault")  \
  X(LOOP_LIMIT, 115, "a loop passed the limit of iterations",                                      \
    "raise max_loop_iterations in the run options")                                                \
  X(RESOURCE_UNKNOWN, 116, "a resource was read before it was assigned",                           \
    "run the initialisation signature first")                                                      \
  X(RESOURCE_TYPE, 117, "a resource is of another kind", "the model is at fault")                  \
  /* plugins */                                                                                    \
  X(PLUGIN_NOT_LOADED, 140, "the shared library cannot be loaded",                                 \
    "check the path and its dependencies")                                                         \
  X(PLUGIN_NO_ENTRY, 141, "the shared library has no heddle_plugin_query",                         \
    "it is not a Heddle plugin")                                                                   \
  X(PLUGIN_ABI, 142, "the plugin needs another ABI version", "build the plugin with this header")  \
  X(PLUGIN_BAD_TABLE, 143, "a required entry of the plugin's table is NULL or contradictory",      \
    "the plugin is at fault")                                                                      \
  X(PLUGIN_CAPABILITY, 144, "the plugin asks for a capability that this library does not know",    \
    "use a newer library")                                                                         \
  /* copies and fallbacks */                                                                       \
  X(COPY_PADDING, 160, "a buffer without padding behind it was copied",                            \
    "give the buffer 16 spare bytes")                                                              \
  X(COPY_ALIGNMENT, 161, "a misaligned buffer was copied", "align the buffer to 64 bytes")         \
  X(SHAPE_UNPROVEN, 162, "a shape could not be proved and was taken from the file", "")            \
  X(SHAPE_DATA_DEPENDENT, 163, "a shape depends on data and is known only while running", "")

typedef enum heddle_reason {
#define HEDDLE_REASON_ENUM_(name, value, words, remedy) HEDDLE_REASON_##name = value,
  HEDDLE_REASON_LIST(HEDDLE_REASON_ENUM_)
#undef HEDDLE_REASON_ENUM_
      HEDDLE_REASON_FORCE_INT32 = 0x7fffffff
} heddle_reason;

/* Names and texts of the enums above; never NULL. `heddle_reason_get_remedy` may be empty. */
HEDDLE_API const char* heddle_status_get_name(heddle_status status);
HEDDLE_API const char* heddle_phase_get_name(heddle_phase phase);
HEDDLE_API const char* heddle_reason_get_name(heddle_reason reason);
HEDDLE_API const char* heddle_reason_get_words(heddle_reason reason);
HEDDLE_API const char* heddle_reason_get_remedy(heddle_reason reason);

/* ---- Types shared by all
 * --------------------------------------------------------------------------------------- */

/* Element types, numbered as in .tflite files. */
typedef enum heddle_dtype {
  HEDDLE_DTYPE_FLOAT32 = 0,
  HEDDLE_DTYPE_FLOAT16 = 1,
  HEDDLE_DTYPE_INT32 = 2,
  HEDDLE_DTYPE_UINT8 = 3,
  HEDDLE_DTYPE_INT64 = 4,
  HEDDLE_DTYPE_STRING = 5,
  HEDDLE_DTYPE_BOOL = 6,
  HEDDLE_DTYPE_INT16 = 7,
  HEDDLE_DTYPE_COMPLEX64 = 8,
  HEDDLE_DTYPE_INT8 = 9,
  HEDDLE_DTYPE_FLOAT64 = 10,
  HEDDLE_DTYPE_COMPLEX128 = 11,
  HEDDLE_DTYPE_UINT64 = 12,
  HEDDLE_DTYPE_RESOURCE = 13,
  HEDDLE_DTYPE_VARIANT = 14,
  HEDDLE_DTYPE_UINT32 = 15,
  HEDDLE_DTYPE_UINT16 = 16,
  HEDDLE_DTYPE_INT4 = 17,
  HEDDLE_DTYPE_BFLOAT16 = 18,
  HEDDLE_DTYPE_INT2 = 19,
  HEDDLE_DTYPE_UINT4 = 20,
  HEDDLE_DTYPE_FLOAT8_E4M3FN = 21,
  HEDDLE_DTYPE_FLOAT8_E5M2 = 22,
  HEDDLE_DTYPE_FORCE_INT32 = 0x7fffffff
} heddle_dtype;

/* "INT8" etc.; "UNKNOWN" for other numbers. Bits of one element: 0 for STRING, RESOURCE, VARIANT
 * and unknown. */
HEDDLE_API const char* heddle_dtype_get_name(heddle_dtype dtype);
HEDDLE_API uint32_t heddle_dtype_get_bits(heddle_dtype dtype);

typedef enum heddle_quantization_kind {
  HEDDLE_QUANTIZATION_NONE = 0,
  HEDDLE_QUANTIZATION_AFFINE = 1, /* per tensor (count 1) or per channel along `axis` */
  HEDDLE_QUANTIZATION_BLOCKWISE =
      2, /* one scale per block, in row-major order; the file keeps them in another tensor, and
            `scales` is empty unless that is a FLOAT16 or FLOAT32 constant */
  HEDDLE_QUANTIZATION_MULTI_AXIS =
      3, /* one scale per combination of indices along `axes`, in row-major order */
  HEDDLE_QUANTIZATION_CUSTOM = 4,
  HEDDLE_QUANTIZATION_FORCE_INT32 = 0x7fffffff
} heddle_quantization_kind;

/* real = scale * (quantised - zero_point). Arrays are borrowed from the model. */
typedef struct heddle_quantization {
  size_t struct_size;
  heddle_quantization_kind kind;
  int32_t axis;
  size_t count;               /* entries of scales */
  const float* scales;        /* [count] */
  const int64_t* zero_points; /* [zero_point_count]; an absent zero point is 0 */
  size_t zero_point_count;    /* 0, 1 or count */
  int32_t block_size;         /* BLOCKWISE: elements that share a scale */
  int32_t scales_tensor;      /* BLOCKWISE: tensor index of the scales, else -1 */
  int32_t zero_points_tensor; /* BLOCKWISE: tensor index of the zero points, -1 if none */
  const int32_t* axes;        /* MULTI_AXIS: [axis_count] */
  size_t axis_count;
} heddle_quantization;

/* Caller's memory functions. `allocate` returns NULL on failure; both may be called on any thread.
 */
typedef struct heddle_allocator {
  size_t struct_size;
  void* context;
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  void (*deallocate)(void* context, void* pointer, size_t bytes, size_t alignment);
} heddle_allocator;

typedef enum heddle_severity {
  HEDDLE_SEVERITY_DEBUG = 0,
  HEDDLE_SEVERITY_INFO = 1,
  HEDDLE_SEVERITY_WARNING = 2,
  HEDDLE_SEVERITY_ERROR = 3,
  HEDDLE_SEVERITY_FORCE_INT32 = 0x7fffffff
} heddle_severity;

/* Receives log lines; called on any thread, one call at a time. `message` is valid during the call
 * only. */
typedef struct heddle_log_sink {
  size_t struct_size;
  void* context;
  heddle_severity min_severity;
  void (*log)(void* context, heddle_severity severity, heddle_reason reason, const char* message);
} heddle_log_sink;

typedef struct heddle_error heddle_error;
typedef struct heddle_environment heddle_environment;
typedef struct heddle_model heddle_model;
typedef struct heddle_op_resolver heddle_op_resolver;
typedef struct heddle_interpreter heddle_interpreter;
typedef struct heddle_buffer heddle_buffer;
typedef struct heddle_event heddle_event;
typedef struct heddle_cancel_token heddle_cancel_token;

/* ---- Errors -------------------------------------------------------------------------- */

/* One fault. Indices are -1 and strings empty where they do not apply. */
typedef struct heddle_error_info {
  size_t struct_size;
  heddle_status status;
  heddle_phase phase;
  heddle_reason reason;
  const char* message;   /* one sentence that names the thing at fault */
  const char* next_step; /* what to do about it; may be empty */
  const char* place;     /* path inside the model: "subgraphs[0].operators[12].inputs[1]" */
  int32_t subgraph;
  int32_t operator_index; /* position in the model's subgraph */
  int32_t plan_position;  /* position in the execution plan */
  const char* op_name;    /* "CONV_2D", or the name of a custom op */
  int32_t op_version;
  int32_t tensor; /* index in the subgraph */
  const char* tensor_name;
} heddle_error_info;

/* An error holds one or more faults (all unresolved ops of a model, for example). Index 0 is the
 * first cause. */
HEDDLE_API size_t heddle_error_get_count(const heddle_error* error);
HEDDLE_API heddle_status heddle_error_get_info(const heddle_error* error, size_t index,
                                               heddle_error_info* info);
/* All faults as text, one line each, with phase, place and remedy. */
HEDDLE_API const char* heddle_error_get_message(const heddle_error* error);
HEDDLE_API void heddle_error_destroy(heddle_error* error);

/* ---- Library ------------------------------------------------------------------------- */

typedef struct heddle_library_info {
  size_t struct_size;
  uint32_t version;         /* as HEDDLE_VERSION_NUMBER */
  const char* version_text; /* "0.1.0" */
  const char* build_id;     /* source revision and build type */
  const char* components;   /* comma-separated, "kernels" among them */
  const char* path;         /* file that the library was loaded from */
  uint32_t schema_version;  /* 3 */
  uint32_t reserved;        /* 0 */
} heddle_library_info;

/* Strings live as long as the library. */
HEDDLE_API heddle_status heddle_library_get_info(heddle_library_info* info);

/* ---- Environment: threads, memory, log
 * ----------------------------------------------------------------------------- */

typedef enum heddle_isa {
  HEDDLE_ISA_BEST = 0,   /* what the machine has */
  HEDDLE_ISA_SCALAR = 1, /* portable code only */
  HEDDLE_ISA_AVX2 = 2,
  HEDDLE_ISA_AVX512 = 3,
  HEDDLE_ISA_NEON = 4,
  HEDDLE_ISA_FORCE_INT32 = 0x7fffffff
} heddle_isa;

typedef struct heddle_environment_options {
  size_t struct_size;
  uint32_t header_version; /* HEDDLE_VERSION_NUMBER of the caller's header */
  int32_t num_threads;     /* at most so many threads compute at once, the caller's included; 0: all
                              cores */
  const heddle_allocator*
      allocator;                   /* copied; NULL: the C++ heap. For tensors, arenas and weights */
  const heddle_log_sink* log_sink; /* copied; NULL: warnings and errors go to stderr */
  heddle_isa isa_limit;            /* use no instructions beyond these */
  int32_t max_log_lines; /* lines a second and reason before they are counted instead; 0: 20 */
} heddle_environment_options;
#define HEDDLE_ENVIRONMENT_OPTIONS_INIT \
  {sizeof(heddle_environment_options), HEDDLE_VERSION_NUMBER, 0, NULL, NULL, HEDDLE_ISA_BEST, 0}

/* `options` may be NULL for defaults, but then an old library cannot be noticed. Threads start on
 * first use. */
HEDDLE_API heddle_status heddle_environment_create(const heddle_environment_options* options,
                                                   heddle_environment** environment,
                                                   heddle_error** error);
HEDDLE_API void heddle_environment_destroy(heddle_environment* environment);
/* Threads that may compute at once, the caller's included. */
HEDDLE_API int32_t heddle_environment_get_num_threads(const heddle_environment* environment);
/* Bytes now and at most held from the environment's allocator. */
HEDDLE_API heddle_status heddle_environment_get_memory(const heddle_environment* environment,
                                                       uint64_t* current_bytes,
                                                       uint64_t* peak_bytes);

/* ---- Buffers ------------------------------------------------------------------------- */

/* Called exactly once, after the last use of the memory, on any thread. */
typedef void (*heddle_release_callback)(void* context, void* data, size_t bytes);

/* Owned memory, aligned to 64 bytes, zeroed, padded so that kernels may read behind it. */
HEDDLE_API heddle_status heddle_buffer_create(heddle_environment* environment, size_t bytes,
                                              heddle_buffer** buffer, heddle_error** error);
/*
 * The caller's memory, used in place. `padded_bytes` >= bytes says how far reads may go (bytes if
 * unknown). `release` may be NULL. On failure `release` is not called.
 */
HEDDLE_API heddle_status heddle_buffer_create_borrowed(heddle_environment* environment, void* data,
                                                       size_t bytes, size_t padded_bytes,
                                                       heddle_release_callback release,
                                                       void* context, heddle_buffer** buffer,
                                                       heddle_error** error);
HEDDLE_API void* heddle_buffer_get_data(const heddle_buffer* buffer);
HEDDLE_API size_t heddle_buffer_get_bytes(const heddle_buffer* buffer);
HEDDLE_API size_t heddle_buffer_get_padded_bytes(const heddle_buffer* buffer);
/* Never blocks: memory that a run or a binding still uses is released after the last use. */
HEDDLE_API void heddle_buffer_destroy(heddle_buffer* buffer);

/* ---- Events and cancellation
 * ----------------------------------------------------------------------------------------- */

/* Called once, when the event completes, on the completing thread; at once if it has completed
 * already. */
typedef void (*heddle_event_callback)(void* context, heddle_status status);

HEDDLE_API int32_t heddle_event_is_done(const heddle_event* event);
/*
 * Waits until done or `timeout_ns` passed (UINT64_MAX: for ever). Returns the run's status with its
 * error, or HEDDLE_DEADLINE_EXCEEDED when the time passed first.
 */
HEDDLE_API heddle_status heddle_event_wait(heddle_event* event, uint64_t timeout_ns,
                                           heddle_error** error);
HEDDLE_API heddle_status heddle_event_on_done(heddle_event* event, heddle_event_callback callback,
                                              void* context, heddle_error** error);
/* The run goes on; its result is dropped. */
HEDDLE_API void heddle_event_destroy(heddle_event* event);

HEDDLE_API heddle_status heddle_cancel_token_create(heddle_cancel_token** token,
                                                    heddle_error** error);
/* From any thread. Runs that hold the token stop before their next node. Stays cancelled until
 * reset. */
HEDDLE_API void heddle_cancel_token_cancel(heddle_cancel_token* token);
HEDDLE_API void heddle_cancel_token_reset(heddle_cancel_token* token);
HEDDLE_API void heddle_cancel_token_destroy(heddle_cancel_token* token);

/* ---- Model --------------------------------------------------------------------------- */

typedef enum heddle_model_flags {
  HEDDLE_MODEL_DEFAULT = 0,
  HEDDLE_MODEL_COPY = 1, /* from memory: copy the bytes; otherwise they must outlive the model */
  HEDDLE_MODEL_TRUST =
      2 /* skip verification: for bytes that the program itself made. A wrong file crashes */
} heddle_model_flags;

/*
 * Loads and verifies a .tflite model. A model is immutable and may be shared by any number of
 * interpreters and threads. From a file and from a descriptor the bytes are mapped, not read;
 * `offset` and `length` select a part of the file (length 0: to its end), the descriptor stays the
 * caller's. Memory that is not aligned to 16 bytes is copied.
 */
HEDDLE_API heddle_status heddle_model_create_from_file(heddle_environment* environment,
                                                       const char* path, uint32_t flags,
                                                       heddle_model** model, heddle_error** error);
HEDDLE_API heddle_status heddle_model_create_from_memory(heddle_environment* environment,
                                                         const void* data, size_t bytes,
                                                         uint32_t flags, heddle_model** model,
                                                         heddle_error** error);
HEDDLE_API heddle_status heddle_model_create_from_descriptor(heddle_environment* environment,
                                                             int descriptor, uint64_t offset,
                                                             uint64_t length, uint32_t flags,
                                                             heddle_model** model,
                                                             heddle_error** error);
HEDDLE_API void heddle_model_destroy(heddle_model* model);

typedef struct heddle_model_info {
  size_t struct_size;
  const char* description;
  const char* min_runtime_version; /* TFLite release named by the file's metadata; empty if none */
  uint32_t schema_version;
  uint64_t bytes;
  size_t subgraph_count;
  size_t operator_code_count;
  size_t signature_count;
  size_t metadata_count;
  int32_t copied;   /* 1 when misaligned bytes were copied */
  int32_t reserved; /* 0 */
} heddle_model_info;
HEDDLE_API heddle_status heddle_model_get_info(const heddle_model* model, heddle_model_info* info);

/* An entry of the model's op dictionary. */
typedef struct heddle_operator_code_info {
  size_t struct_size;
  int32_t builtin_code; /* 32 is CUSTOM */
  const char* name;     /* builtin's name, custom op's name, or "UNKNOWN_<code>" */
  int32_t is_custom;
  int32_t version;
  size_t count; /* operators that use it, over all subgraphs */
  const char*
      min_runtime_version; /* first TFLite release that has this version; empty if unknown */
} heddle_operator_code_info;
HEDDLE_API heddle_status heddle_model_get_operator_code(const heddle_model* model, size_t index,
                                                        heddle_operator_code_info* info);

typedef struct heddle_subgraph_info {
  size_t struct_size;
  const char* name;
  size_t tensor_count;
  size_t operator_count;
  const int32_t* inputs; /* tensor indices */
  size_t input_count;
  const int32_t* outputs;
  size_t output_count;
} heddle_subgraph_info;
HEDDLE_API heddle_status heddle_model_get_subgraph(const heddle_model* model, size_t index,
                                                   heddle_subgraph_info* info);

typedef struct heddle_tensor_info {
  size_t struct_size;
  const char* name;
  heddle_dtype dtype;
  int32_t rank;        /* -1: unknown */
  const int32_t* dims; /* [rank]; a scalar has rank 0 */
  const int32_t*
      shape_signature; /* [rank], -1 for a dynamic dimension; NULL if the model gives none */
  uint64_t bytes;      /* of the data; 0 if unknown, or for strings */
  int32_t is_variable;
  int32_t is_constant;
  int32_t is_sparse;
  int32_t is_shape_known; /* 0: data-dependent, known only after a run (interpreters only) */
  const heddle_quantization* quantization; /* never NULL; kind NONE if there is none */
} heddle_tensor_info;
HEDDLE_API heddle_status heddle_model_get_tensor(const heddle_model* model, size_t subgraph,
                                                 size_t tensor, heddle_tensor_info* info);
/* Data of a constant tensor, NULL for others. */
HEDDLE_API const void* heddle_model_get_tensor_data(const heddle_model* model, size_t subgraph,
                                                    size_t tensor);

typedef struct heddle_operator_info {
  size_t struct_size;
  size_t operator_code;
  const int32_t* inputs; /* tensor indices, -1 for an absent optional input */
  size_t input_count;
  const int32_t* outputs;
  size_t output_count;
} heddle_operator_info;
HEDDLE_API heddle_status heddle_model_get_operator(const heddle_model* model, size_t subgraph,
                                                   size_t index, heddle_operator_info* info);

/* A named value of an operator, in the order of the schema. Unset fields have their defaults. */
typedef struct heddle_attribute_info {
  size_t struct_size;
  const char* name;
  const char* text; /* value as text: 3, 0.5, true, [1,2], "name" or an enum's name; valid until the
                       model goes */
} heddle_attribute_info;
HEDDLE_API size_t heddle_model_get_attribute_count(const heddle_model* model, size_t subgraph,
                                                   size_t index);
HEDDLE_API heddle_status heddle_model_get_attribute(const heddle_model* model, size_t subgraph,
                                                    size_t index, size_t attribute,
                                                    heddle_attribute_info* info);

/* A signature: an entry point with named inputs and outputs. */
typedef struct heddle_signature_info {
  size_t struct_size;
  const char* key;
  size_t subgraph;
  size_t input_count;
  size_t output_count;
} heddle_signature_info;
HEDDLE_API heddle_status heddle_model_get_signature(const heddle_model* model, size_t index,
                                                    heddle_signature_info* info);
/* Name and tensor index of a signature's input or output; `is_output` 0 or 1. */
HEDDLE_API heddle_status heddle_model_get_signature_tensor(const heddle_model* model,
                                                           size_t signature, int32_t is_output,
                                                           size_t index, const char** name,
                                                           int32_t* tensor);

/* Metadata entries, by position (name may be NULL). Data is borrowed from the model. */
HEDDLE_API heddle_status heddle_model_get_metadata(const heddle_model* model, size_t index,
                                                   const char** name, const void** data,
                                                   size_t* bytes);
/* The model's whole bytes, as loaded: for tools that look behind the flatbuffer (associated files).
 */
HEDDLE_API const void* heddle_model_get_bytes(const heddle_model* model, size_t* bytes);

/* ---- Op resolver --------------------------------------------------------------------- */

struct heddle_op; /* heddle_plugin.h */

/* An empty resolver, and one with every op of this build. */
HEDDLE_API heddle_status heddle_op_resolver_create(heddle_op_resolver** resolver,
                                                   heddle_error** error);
HEDDLE_API heddle_status heddle_op_resolver_create_default(heddle_op_resolver** resolver,
                                                           heddle_error** error);
/* Interpreters that use a resolver keep its registrations: destroying it early is safe. */
HEDDLE_API void heddle_op_resolver_destroy(heddle_op_resolver* resolver);
/*
 * Registers a builtin or custom op for its versions; the struct is copied, what it points to must
 * live as long as the code. For a version registered twice the later one wins.
 */
HEDDLE_API heddle_status heddle_op_resolver_add(heddle_op_resolver* resolver,
                                                const struct heddle_op* op, heddle_error** error);
/* Registers all ops of a plugin. The shared library stays loaded until the process ends. */
HEDDLE_API heddle_status heddle_op_resolver_add_plugin(heddle_op_resolver* resolver,
                                                       const char* path, heddle_error** error);
/* Asks `next` for what `resolver` does not have. The first hit wins, in the order of chaining. */
HEDDLE_API heddle_status heddle_op_resolver_chain(heddle_op_resolver* resolver,
                                                  const heddle_op_resolver* next,
                                                  heddle_error** error);
/* The versions registered for an op, chained resolvers included; HEDDLE_NOT_FOUND if none.
 * `custom_name` NULL: builtin. */
HEDDLE_API heddle_status heddle_op_resolver_get_versions(const heddle_op_resolver* resolver,
                                                         int32_t builtin_code,
                                                         const char* custom_name,
                                                         int32_t* min_version,
                                                         int32_t* max_version);
/* Looks every op of the model up. HEDDLE_UNRESOLVED_OPS with one fault for each miss. */
HEDDLE_API heddle_status heddle_op_resolver_check_model(const heddle_op_resolver* resolver,
                                                        const heddle_model* model,
                                                        heddle_error** error);

/* ---- Interpreter --------------------------------------------------------------------- */

typedef enum heddle_kernels {
  HEDDLE_KERNELS_DEFAULT = 0,
  HEDDLE_KERNELS_REFERENCE = 1 /* plain kernels, denormals kept: the oracle's arithmetic, slow */
} heddle_kernels;

typedef struct heddle_interpreter_options {
  size_t struct_size;
  const heddle_op_resolver* resolver; /* NULL: the default one */
  int32_t num_threads;                /* 0: the environment's limit */
  int32_t slots;                      /* runs in flight at once; 0: 1 */
  heddle_kernels kernels;
  int32_t preserve_all_tensors;  /* every tensor keeps its memory until the next run */
  uint64_t max_plan_cache_bytes; /* plans kept for other input shapes; 0: 16 MiB */
  uint64_t max_dynamic_bytes;    /* limit of data-dependent tensors; 0: 1 GiB */
} heddle_interpreter_options;
#define HEDDLE_INTERPRETER_OPTIONS_INIT \
  {sizeof(heddle_interpreter_options), NULL, 0, 0, HEDDLE_KERNELS_DEFAULT, 0, 0, 0}

/*
 * Resolves every op of the model and reads its attributes. Ops that nobody has are kept until
 * prepare, since a delegate may claim them. `options` may be NULL.
 */
HEDDLE_API heddle_status heddle_interpreter_create(heddle_environment* environment,
                                                   const heddle_model* model,
                                                   const heddle_interpreter_options* options,
                                                   heddle_interpreter** interpreter,
                                                   heddle_error** error);
/* The same in the background: *event completes when *interpreter may be used. Until then only
 * destroy is allowed. */
HEDDLE_API heddle_status heddle_interpreter_create_async(heddle_environment* environment,
                                                         const heddle_model* model,
                                                         const heddle_interpreter_options* options,
                                                         heddle_interpreter** interpreter,
                                                         heddle_event** event,
                                                         heddle_error** error);
/* Waits for runs in flight. */
HEDDLE_API void heddle_interpreter_destroy(heddle_interpreter* interpreter);

/*
 * Chooses the entry point that the functions below address: a signature's key, or NULL for the
 * first subgraph, which is the default. Inputs and outputs are then those of the signature, in its
 * order, under its names.
 */
HEDDLE_API heddle_status heddle_interpreter_select_signature(heddle_interpreter* interpreter,
                                                             const char* key, heddle_error** error);
HEDDLE_API size_t heddle_interpreter_get_input_count(const heddle_interpreter* interpreter);
HEDDLE_API size_t heddle_interpreter_get_output_count(const heddle_interpreter* interpreter);
/* Signature's name if there is one, else the tensor's. */
HEDDLE_API const char* heddle_interpreter_get_input_name(const heddle_interpreter* interpreter,
                                                         size_t index);
HEDDLE_API const char* heddle_interpreter_get_output_name(const heddle_interpreter* interpreter,
                                                          size_t index);
/* Position of an input or output by its signature's or tensor's name, -1 if there is none. */
HEDDLE_API int32_t heddle_interpreter_find_input(const heddle_interpreter* interpreter,
                                                 const char* name);
HEDDLE_API int32_t heddle_interpreter_find_output(const heddle_interpreter* interpreter,
                                                  const char* name);
/* Shape, type and quantisation as they are now; dims are valid until the next resize, prepare or
 * run. */
HEDDLE_API heddle_status heddle_interpreter_get_input_info(const heddle_interpreter* interpreter,
                                                           size_t index, heddle_tensor_info* info);
HEDDLE_API heddle_status heddle_interpreter_get_output_info(const heddle_interpreter* interpreter,
                                                            size_t index, heddle_tensor_info* info);

/*
 * Gives an input another shape. `strict` 1: only dimensions that the model marks as dynamic may
 * change. The next prepare or run uses it; plans of earlier shapes are kept, so that going back is
 * cheap.
 */
HEDDLE_API heddle_status heddle_interpreter_resize_input(heddle_interpreter* interpreter,
                                                         size_t index, const int32_t* dims,
                                                         int32_t rank, int32_t strict,
                                                         heddle_error** error);
/* Plans shapes, kernels and memory. Runs do it by themselves when needed; errors show earlier with
 * it. */
HEDDLE_API heddle_status heddle_interpreter_prepare(heddle_interpreter* interpreter,
                                                    heddle_error** error);

/*
 * Memory of an input or output after prepare, NULL before, and NULL for a data-dependent output
 * before its run. Input contents stay between runs. Pointers are valid until the next resize,
 * prepare, bind, release or destroy, those of data-dependent outputs until the next run.
 */
HEDDLE_API void* heddle_interpreter_get_input_data(heddle_interpreter* interpreter, size_t index);
HEDDLE_API const void* heddle_interpreter_get_output_data(heddle_interpreter* interpreter,
                                                          size_t index);
/*
 * Copies whole tensors in and out; `bytes` must be the tensor's. Strings are in TFLite's form:
 * int32 count, count + 1 int32 offsets from the start of the buffer, then the characters.
 */
HEDDLE_API heddle_status heddle_interpreter_set_input(heddle_interpreter* interpreter, size_t index,
                                                      const void* data, size_t bytes,
                                                      heddle_error** error);
HEDDLE_API heddle_status heddle_interpreter_get_output(heddle_interpreter* interpreter,
                                                       size_t index, void* data, size_t bytes,
                                                       heddle_error** error);

/*
 * Uses a buffer in place of the interpreter's memory for an input or output (zero copy) from the
 * next run on; NULL undoes it. The interpreter keeps the buffer alive while it is bound. A buffer
 * that is misaligned or lacks padding is copied where the kernels need it, with
 * HEDDLE_REASON_COPY_ALIGNMENT or _PADDING in the log.
 */
HEDDLE_API heddle_status heddle_interpreter_bind_input(heddle_interpreter* interpreter,
                                                       size_t index, heddle_buffer* buffer,
                                                       heddle_error** error);
HEDDLE_API heddle_status heddle_interpreter_bind_output(heddle_interpreter* interpreter,
                                                        size_t index, heddle_buffer* buffer,
                                                        heddle_error** error);

typedef enum heddle_precision {
  HEDDLE_PRECISION_EXACT = 0,       /* as the model says */
  HEDDLE_PRECISION_REASSOCIATE = 1, /* kernels may also change the order of sums */
  HEDDLE_PRECISION_F16 = 2,         /* kernels may also compute in half precision */
  HEDDLE_PRECISION_FORCE_INT32 = 0x7fffffff
} heddle_precision;

/* A node that is about to run or has run. Pointers are valid during the call. */
typedef struct heddle_node_event {
  size_t struct_size;
  int32_t is_end; /* 0 before, 1 after the node */
  int32_t subgraph;
  int32_t operator_index;
  int32_t plan_position;
  const char* op_name;
  uint64_t time_ns; /* monotonic clock */
  size_t output_count;
  /* After the node: index, shape and data of its outputs, through the interpreter's view. */
  const int32_t* output_tensors;
  const struct heddle_tensor* const* outputs; /* heddle_plugin.h */
} heddle_node_event;
/* Returning other than 0 stops the run with HEDDLE_CANCELLED. Called on the running thread. */
typedef int32_t (*heddle_node_observer)(void* context, const heddle_node_event* event);

typedef struct heddle_run_options {
  size_t struct_size;
  uint64_t timeout_ns;               /* 0: none. Counted from the call; checked between nodes */
  heddle_cancel_token* cancel_token; /* NULL: none */
  int32_t priority;                  /* of queued asynchronous runs: higher first */
  heddle_precision precision;
  heddle_node_observer observer; /* NULL: none */
  void* observer_context;
  uint64_t max_loop_iterations; /* of each WHILE; 0: no limit */
} heddle_run_options;
#define HEDDLE_RUN_OPTIONS_INIT \
  {sizeof(heddle_run_options), 0, NULL, 0, HEDDLE_PRECISION_EXACT, NULL, NULL, 0}

/* Runs the selected entry point with the current inputs. `options` may be NULL. */
HEDDLE_API heddle_status heddle_interpreter_invoke(heddle_interpreter* interpreter,
                                                   const heddle_run_options* options,
                                                   heddle_error** error);
/*
 * Queues the run and returns; *event tells when it is done. Until then the interpreter is in use:
 * other calls on it are refused, but for destroy, which waits. Runs of one environment start in the
 * order of priority, then of calls.
 */
HEDDLE_API heddle_status heddle_interpreter_invoke_async(heddle_interpreter* interpreter,
                                                         const heddle_run_options* options,
                                                         heddle_event** event,
                                                         heddle_error** error);
/*
 * Runs with the given buffers (one for each input and each output, none NULL) in any free slot:
 * with N slots N threads may call it at once. All slots busy: HEDDLE_FAILED_PRECONDITION with
 * HEDDLE_REASON_CONCURRENT_USE. Outputs must have known shapes.
 */
HEDDLE_API heddle_status heddle_interpreter_run(heddle_interpreter* interpreter,
                                                const heddle_run_options* options,
                                                heddle_buffer* const* inputs, size_t input_count,
                                                heddle_buffer* const* outputs, size_t output_count,
                                                heddle_error** error);

/* Variables go back to zero, resources to unassigned, and initialisation subgraphs run again. */
HEDDLE_API heddle_status heddle_interpreter_reset_variables(heddle_interpreter* interpreter,
                                                            heddle_error** error);
/* Gives arenas and plans back; inputs and outputs are lost, variables kept. The next prepare or run
 * takes them again. */
HEDDLE_API heddle_status heddle_interpreter_release_memory(heddle_interpreter* interpreter,
                                                           heddle_error** error);

/* What an interpreter's tensors look like, any tensor of any subgraph: for tools. Data is kept only
   with preserve_all_tensors, NULL otherwise. */
HEDDLE_API heddle_status heddle_interpreter_get_tensor(const heddle_interpreter* interpreter,
                                                       size_t subgraph, size_t tensor,
                                                       heddle_tensor_info* info, const void** data);

typedef struct heddle_memory_info {
  size_t struct_size;
  uint64_t arena_bytes; /* planned memory, workspaces and default inputs and outputs included */
  uint64_t arena_lower_bound_bytes; /* largest sum of bytes alive at once in this order */
  uint64_t dynamic_bytes;           /* data-dependent tensors, now */
  uint64_t variable_bytes;
  uint64_t
      shared_weight_bytes; /* packed or unpacked weights of the model, shared by its interpreters */
  uint64_t plan_count;     /* plans held for different shapes */
} heddle_memory_info;
HEDDLE_API heddle_status heddle_interpreter_get_memory(const heddle_interpreter* interpreter,
                                                       heddle_memory_info* info);

/* A step of the current plan. */
typedef struct heddle_plan_step_info {
  size_t struct_size;
  int32_t subgraph;
  int32_t operator_index;
  const char* op_name;
  int32_t op_version;
  const char* kernel;        /* implementation that was chosen; empty if the op does not tell */
  int32_t is_folded;         /* 1: computed once while planning */
  int32_t is_data_dependent; /* 1: shapes are known only while running */
  int32_t is_resolved;       /* 0: no kernel has this op */
  int32_t reserved;          /* 0 */
} heddle_plan_step_info;
HEDDLE_API size_t heddle_interpreter_get_plan_step_count(const heddle_interpreter* interpreter);
HEDDLE_API heddle_status heddle_interpreter_get_plan_step(const heddle_interpreter* interpreter,
                                                          size_t position,
                                                          heddle_plan_step_info* info);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEDDLE_HEDDLE_H_ */
