// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/objects.h"
#include "runtime/op/plugin_loader.h"

using heddle::Status;
using heddle::capi::Guard;

heddle_status heddle_op_resolver_create(heddle_op_resolver** resolver, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(resolver);
    *resolver = std::make_unique<heddle_op_resolver>().release();
    return {};
  });
}

heddle_status heddle_op_resolver_create_default(heddle_op_resolver** resolver,
                                                heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(resolver);
    auto made = std::make_unique<heddle_op_resolver>();
    HEDDLE_RETURN_IF_ERROR(heddle::AddDefaultOps(made->resolver));
    *resolver = made.release();
    return {};
  });
}

void heddle_op_resolver_destroy(heddle_op_resolver* resolver) { delete resolver; }

heddle_status heddle_op_resolver_add(heddle_op_resolver* resolver, const heddle_op* op,
                                     heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(resolver);
    HEDDLE_REQUIRE(op);
    return resolver->resolver.Add(*op);
  });
}

heddle_status heddle_op_resolver_add_plugin(heddle_op_resolver* resolver, const char* path,
                                            heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(resolver);
    HEDDLE_REQUIRE(path);
    return heddle::AddPluginOps(path, &resolver->resolver);
  });
}

heddle_status heddle_op_resolver_chain(heddle_op_resolver* resolver, const heddle_op_resolver* next,
                                       heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(resolver);
    HEDDLE_REQUIRE(next);
    resolver->resolver.Chain(next->resolver);
    return {};
  });
}

heddle_status heddle_op_resolver_get_versions(const heddle_op_resolver* resolver,
                                              int32_t builtin_code, const char* custom_name,
                                              int32_t* min_version, int32_t* max_version) {
  if (resolver == nullptr) return HEDDLE_INVALID_ARGUMENT;
  const auto range = custom_name != nullptr
                         ? resolver->resolver.VersionsOf(std::string_view(custom_name))
                         : resolver->resolver.VersionsOf(builtin_code);
  if (!range.has_value()) return HEDDLE_NOT_FOUND;
  if (min_version != nullptr) *min_version = range->min;
  if (max_version != nullptr) *max_version = range->max;
  return HEDDLE_OK;
}

heddle_status heddle_op_resolver_check_model(const heddle_op_resolver* resolver,
                                             const heddle_model* model, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(resolver);
    HEDDLE_REQUIRE(model);
    std::vector<heddle::OpRegistrationRef> found;
    return resolver->resolver.Resolve(*model->model, &found);
  });
}
