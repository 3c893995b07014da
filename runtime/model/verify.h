// SPDX-License-Identifier: Apache-2.0
// Checks of a model file, in the order in which they run. Internal to runtime/model.
#pragma once

#include <span>

#include "runtime/model/fault.h"
#include "runtime/model/model.h"

namespace heddle {

// Size, identifier, and unless `trust`, every offset of the flatbuffer. Bytes behind the first 2 GB
// are never part of it.
Status VerifyBytes(const Model& model, std::span<const uint8_t> bytes, bool trust);

// Of the view; indices come first, so that later checks may follow them.
Status VerifyTensors(const Model& model, WorkBudget* budget);
Status VerifyOperators(const Model& model, WorkBudget* budget);
Status VerifyGraphs(const Model& model, WorkBudget* budget);
Status VerifyCalls(const Model& model, WorkBudget* budget);
Status VerifySignatures(const Model& model, WorkBudget* budget);

// Parts of VerifyTensors.
Status VerifyQuantization(const Model& model, const Site& site, const TensorDef& tensor);
Status VerifySparsity(const Model& model, const Site& site, const TensorDef& tensor,
                      WorkBudget* budget);
Status VerifyStrings(const Model& model, const Site& site, const TensorDef& tensor,
                     WorkBudget* budget);

}  // namespace heddle
