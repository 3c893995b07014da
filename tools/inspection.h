// SPDX-License-Identifier: Apache-2.0
// What `heddle inspect` found, as JSON and as text.
#pragma once

#include <string>

#include "tools/metadata.h"
#include "tools/op_support.h"

namespace heddle::tools {

struct Inspection {
  std::string path;
  const Model* model = nullptr;
  ModelMetadata metadata;
  ModelSupport support;
  Status plan;  // of preparing the model for its own shapes
  heddle_memory_info memory = {};
};

struct InspectionParts {
  bool operators = false;
  bool tensors = false;
};

Json InspectionJson(const Inspection& inspection);
// At most 100 columns wide; the long lists only where asked for.
std::string InspectionText(const Inspection& inspection, const InspectionParts& parts);

}  // namespace heddle::tools
