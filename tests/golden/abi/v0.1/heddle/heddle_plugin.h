/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heddle's C ABI for operators: builtins, custom ops, and plugins (shared libraries that bring
 * ops). A plugin links nothing of Heddle: everything that it needs comes through the host's table
 * of functions.
 *
 * Growth: structs are only ever appended to. `struct_size` comes first and says what its maker
 * knew; arrays of structs come with a stride. A host accepts every older size and fills in the
 * defaults stated at each field; a plugin looks at host->struct_size before it uses a function that
 * was added later (HEDDLE_HOST_HAS).
 *
 * Life of a node. The host calls, in this order,
 *   init      once for each node and interpreter slot: reads attributes, checks them;
 *   infer     for each set of input shapes: gives every output its type and shape, allocates nothing;
 *   prepare   for each set of input shapes: chooses a kernel, asks for scratch memory, packs weights;
 *   invoke    any number of times: computes;
 *   release   once for each state that prepare gave, unless it is NULL;
 *   free      once for each state that init gave, unless it is NULL.
 * Where shapes depend on data, infer and prepare run between invokes, whenever shapes changed.
 * Callbacks of one node never overlap; those of different nodes may, on different threads.
 * Callbacks must not throw.
 *
 * Errors: return host->report(call, ...), which records a sentence and returns the status that it
 * was given.
 */
#ifndef HEDDLE_HEDDLE_PLUGIN_H_
#define HEDDLE_HEDDLE_PLUGIN_H_

#include "heddle/heddle.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_PLUGIN_ABI_VERSION 1u

/* ---- Tensors as ops see them
 * ----------------------------------------------------------------------------- */

enum heddle_tensor_flags {
  HEDDLE_TENSOR_CONSTANT = 1u << 0, /* never changes: `data` is there from infer on */
  /* Keeps its contents from run to run. An op that has it as an input may write its data. */
  HEDDLE_TENSOR_VARIABLE = 1u << 1,
  HEDDLE_TENSOR_SHAPE_KNOWN = 1u << 2, /* rank and dims are set */
  HEDDLE_TENSOR_UNPROVEN = 1u << 3, /* the shape is what the file says, not what an op inferred */
  HEDDLE_TENSOR_DYNAMIC = 1u << 4   /* the shape depends on data */
};

/* Dense, row-major, little-endian; 4- and 2-bit elements packed from the low bits up. */
typedef struct heddle_tensor {
  size_t struct_size;
  heddle_dtype dtype;
  uint32_t flags;      /* heddle_tensor_flags */
  int32_t rank;        /* 0 for a scalar, -1 while unknown */
  int32_t index;       /* in its subgraph; -1 for a tensor of no model */
  const int32_t* dims; /* [rank] */
  size_t bytes;        /* of data; 0 while the shape is unknown */
  void* data;          /* NULL while there is none; aligned to the element at least */
  const char* name;    /* never NULL */
  const heddle_quantization* quantization; /* never NULL; kind NONE if there is none */
} heddle_tensor;

/* ---- The call that every callback gets
 * ---------------------------------------------------------------------- */

struct heddle_host;

enum heddle_node_flags {
  HEDDLE_NODE_REFERENCE =
      1u << 0 /* reference kernels were asked for: plain maths, denormals kept */
};

typedef struct heddle_node_info {
  size_t struct_size;
  int32_t builtin_code; /* 32 for a custom op */
  int32_t version;
  const char* name; /* "CONV_2D", or the custom op's name */
  uint32_t flags;   /* heddle_node_flags */
  int32_t subgraph;
  int32_t operator_index; /* in the model */
} heddle_node_info;

typedef struct heddle_op_call {
  size_t struct_size;
  const struct heddle_host* host;
  void* host_context; /* the host's own */
  const heddle_node_info* node;
  void* user_data;                    /* of the registration */
  void* node_state;                   /* what init made; NULL during init */
  void* plan_state;                   /* what prepare made; NULL before */
  const heddle_tensor* const* inputs; /* [input_count]; NULL entries are absent optional inputs */
  size_t input_count;
  heddle_tensor* const*
      outputs; /* [output_count]; NULL entries are absent. Write through data, never to fields */
  size_t output_count;
  /* [intermediate_count]: tensors that the file attaches to the node for their types and
     quantisations alone; they have no data. NULL entries are absent. */
  const heddle_tensor* const* intermediates;
  size_t intermediate_count;
} heddle_op_call;

/* ---- What the host offers
 * -------------------------------------------------------------------------------------- */

/* Array attribute, borrowed from the model: `count` elements of `width` bytes, aligned to their
 * width. */
typedef struct heddle_attribute_array {
  size_t struct_size;
  const void* data;
  size_t count;
  int32_t width;
  int32_t is_float;
} heddle_attribute_array;

/* A kind of resource: what lives behind a RESOURCE tensor. */
typedef struct heddle_resource_type {
  size_t struct_size;
  const char* name; /* compared by text: "variable", "hash table" */
  /* `argument` is what resource_open was given. */
  heddle_status (*create)(heddle_op_call* call, void* argument, void** object);
  void (*destroy)(void* object);
  /* A copy, for saving and restoring state. NULL: resources of this kind cannot be saved. */
  heddle_status (*clone)(const void* object, void** copy);
  uint64_t (*bytes)(const void* object); /* memory held, for reports; NULL: 0 */
} heddle_resource_type;

/*
 * Functions of the host; each takes the call that the callback was given. Where a line says
 * "infer", "prepare" or "invoke", the function may be called in that callback only; elsewhere it
 * fails.
 */
typedef struct heddle_host {
  size_t struct_size;
  uint32_t abi_version;

  /* -- errors and log; any callback -- */
  /* Records a fault of this node and returns `status`. `operand`: position of the input (>= 0) at
     fault, or -1 - position of the output, or HEDDLE_NO_OPERAND. `message` is copied. */
  heddle_status (*report)(heddle_op_call* call, heddle_status status, heddle_reason reason,
                          int32_t operand, const char* message);
  void (*log)(heddle_op_call* call, heddle_severity severity, heddle_reason reason,
              const char* message);

  /* -- attributes; any callback. Keys are in heddle_attributes.h. A field that the file leaves out
     has the schema's default, an absent array or string is empty. Unknown keys and keys of another
     op's table fail with a report. -- */
  heddle_status (*get_int)(heddle_op_call* call, uint32_t key,
                           int64_t* value); /* also bools and enums */
  heddle_status (*get_float)(heddle_op_call* call, uint32_t key, double* value);
  heddle_status (*get_string)(heddle_op_call* call, uint32_t key, const char** text,
                              size_t* length);
  heddle_status (*get_array)(heddle_op_call* call, uint32_t key, heddle_attribute_array* array);
  /* A custom op's options: raw bytes, usually a FlexBuffer map. */
  heddle_status (*get_custom_options)(heddle_op_call* call, const void** data, size_t* bytes);

  /* -- infer -- */
  heddle_status (*set_output)(heddle_op_call* call, size_t output, heddle_dtype dtype,
                              const int32_t* dims, int32_t rank);
  /* The shape will be known only after computing; invoke then calls allocate_output. */
  heddle_status (*set_output_data_dependent)(heddle_op_call* call, size_t output,
                                             heddle_dtype dtype);

  /* -- prepare -- */
  /* Memory that invoke may use, planned with the arena; contents are undefined at each invoke. */
  heddle_status (*request_scratch)(heddle_op_call* call, size_t bytes, int32_t* scratch);
  /*
   * An object made once and shared by all nodes and interpreters of the model that ask with the
   * same key, such as packed weights; it lives until the last plan that asked goes. `create` may
   * run on this thread only; `bytes` receives the memory it holds. Thread-safe.
   */
  heddle_status (*get_shared)(heddle_op_call* call, const void* key, size_t key_bytes,
                              heddle_status (*create)(heddle_op_call* call, void* argument,
                                                      void** object, uint64_t* bytes),
                              void* argument, void (*destroy)(void* object), void** object);
  /* Names the chosen implementation for reports; a literal. */
  void (*set_kernel_name)(heddle_op_call* call, const char* name);

  /* -- invoke -- */
  void* (*get_scratch)(heddle_op_call* call, int32_t scratch);
  /* Gives a data-dependent output its shape and memory. `bytes` counts for strings only; 0:
   * computed from the shape. */
  heddle_status (*allocate_output)(heddle_op_call* call, size_t output, const int32_t* dims,
                                   int32_t rank, size_t bytes, void** data);
  /* Runs function over [0, count) in ranges of at least `grain`, on several threads if that pays.
   */
  heddle_status (*parallel_for)(heddle_op_call* call, int64_t count, int64_t grain,
                                void (*function)(void* argument, int64_t begin, int64_t end),
                                void* argument);
  int32_t (*get_num_threads)(heddle_op_call* call); /* also prepare */
  /* 1 when the run should stop: for loops of long-running ops. */
  int32_t (*is_cancelled)(heddle_op_call* call);

  /* -- resources; init, prepare and invoke -- */
  /* The id of the resource of this name: equal for all nodes of the interpreter that use the name.
   */
  heddle_status (*get_resource_id)(heddle_op_call* call, const char* container,
                                   size_t container_length, const char* name, size_t name_length,
                                   int32_t* id);
  /*
   * The object behind an id. Absent: made if `create` is 1, else HEDDLE_REASON_RESOURCE_UNKNOWN; of
   * another type: HEDDLE_REASON_RESOURCE_TYPE. The host holds the resource's lock until the
   * callback returns.
   */
  heddle_status (*resource_open)(heddle_op_call* call, int32_t id, const heddle_resource_type* type,
                                 int32_t create, void* argument, void** object);

  /* -- subgraphs; infer and invoke. `index` comes from an attribute of this op. -- */
  heddle_status (*get_subgraph_io)(heddle_op_call* call, int32_t index, size_t* input_count,
                                   size_t* output_count);
  /* Shapes of a subgraph's outputs for these input shapes. The array is valid until the callback
     returns or asks the same subgraph again. */
  heddle_status (*infer_subgraph)(heddle_op_call* call, int32_t index,
                                  const heddle_tensor* const* inputs, size_t input_count,
                                  const heddle_tensor* const** outputs, size_t* output_count);
  /* Runs a subgraph. Outputs lie in its memory and are valid until it runs again; they may be
   * passed as its inputs. */
  heddle_status (*invoke_subgraph)(heddle_op_call* call, int32_t index,
                                   const heddle_tensor* const* inputs, size_t input_count,
                                   const heddle_tensor* const** outputs, size_t* output_count);
  /* Limit of iterations of a loop, from the run's options; 0: none. invoke. */
  uint64_t (*get_loop_limit)(heddle_op_call* call);

  /* -- memory; any callback. The allocator lives longer than any state of this node. -- */
  const heddle_allocator* (*get_allocator)(heddle_op_call* call);
} heddle_host;

#define HEDDLE_NO_OPERAND INT32_MIN
/* Whether the host at hand has a function: HEDDLE_HOST_HAS(call->host, get_loop_limit). */
#define HEDDLE_HOST_HAS(host, field)                                              \
  ((host)->struct_size >= offsetof(heddle_host, field) + sizeof((host)->field) && \
   (host)->field != NULL)

/* ---- Registration -------------------------------------------------------------------- */

enum heddle_op_flags {
  /* Keeps state from run to run, or draws random numbers: runs of it are never merged, dropped or
     run in slots. */
  HEDDLE_OP_STATEFUL = 1u << 0,
  /* Changes or reads something besides its tensors (resources, called subgraphs that might): the
     order among such nodes is kept, and they run even when nobody reads their outputs. */
  HEDDLE_OP_SIDE_EFFECTS = 1u << 1,
  /* Reads only the shapes of its inputs, never their data: computed while planning. */
  HEDDLE_OP_SHAPES_ONLY = 1u << 2,
  /* May read up to 16 bytes behind the end of its inputs. */
  HEDDLE_OP_OVERREADS = 1u << 3
};
#define HEDDLE_OP_KNOWN_FLAGS 0xfu

/* Output `output` may share the memory of input `input`, whose contents are then lost. The host
   does so only where both have the same size in bytes. A pair never grows. */
typedef struct heddle_in_place_pair {
  int32_t input;
  int32_t output;
} heddle_in_place_pair;

typedef struct heddle_op {
  size_t struct_size;
  int32_t builtin_code;    /* 32 for a custom op */
  int32_t min_version;     /* first version covered, >= 1 */
  int32_t max_version;     /* last version covered */
  uint32_t flags;          /* heddle_op_flags; unknown bits are refused */
  const char* custom_name; /* custom ops only, case-sensitive */
  void* user_data;         /* handed to every callback */
  /* Optional. Default: no node state. */
  heddle_status (*init)(heddle_op_call* call, void** node_state);
  void (*free)(void* user_data, void* node_state); /* required with init */
  /* Optional. Default: outputs have the shapes that the file gives, unproven. */
  heddle_status (*infer)(heddle_op_call* call);
  /* Optional. Default: no plan state. */
  heddle_status (*prepare)(heddle_op_call* call, void** plan_state);
  void (*release)(void* user_data, void* plan_state); /* required with prepare */
  heddle_status (*invoke)(heddle_op_call* call);      /* required */
  const heddle_in_place_pair* in_place;               /* optional: [in_place_count] */
  size_t in_place_count;
} heddle_op;

/* ---- Plugins ------------------------------------------------------------------------- */

#if defined(_WIN32)
#define HEDDLE_PLUGIN_EXPORT __declspec(dllexport)
#else
#define HEDDLE_PLUGIN_EXPORT __attribute__((visibility("default")))
#endif

/* Capabilities that a plugin cannot do without. None are defined yet: bits set are refused. */
#define HEDDLE_PLUGIN_KNOWN_CAPABILITIES 0u

typedef struct heddle_plugin {
  size_t struct_size;
  uint32_t abi_version;  /* HEDDLE_PLUGIN_ABI_VERSION of the header that it was built with */
  uint32_t capabilities; /* that the host must have */
  const char* name;      /* required */
  const char* version;   /* required; shown in reports */
  const void* ops;       /* heddle_op[op_count], op_stride bytes apart */
  size_t op_stride;
  size_t op_count;
} heddle_plugin;

/*
 * The one symbol that a plugin exports. `host_abi_version` is the host's; a plugin that cannot
 * serve it returns HEDDLE_VERSION_MISMATCH. The struct must live as long as the process. The
 * library is never unloaded.
 */
HEDDLE_PLUGIN_EXPORT heddle_status heddle_plugin_query(uint32_t host_abi_version,
                                                       const heddle_plugin** plugin);
typedef heddle_status (*heddle_plugin_query_function)(uint32_t host_abi_version,
                                                      const heddle_plugin** plugin);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* HEDDLE_HEDDLE_PLUGIN_H_ */
