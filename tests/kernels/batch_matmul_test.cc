// SPDX-License-Identifier: Apache-2.0
// Scales for each column of integers, which LiteRT takes for no scale at all: its outputs are
// zeros.
#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

TEST(BatchMatMul, AScaleForEachColumn) {
  for (const bool adj_y : {false, true}) {
    OpTester op(HEDDLE_BUILTIN_BATCH_MATMUL, 3);
    op.Input<int16_t>({1, 2}, {1, 2}).Quantized(1, 0);
    op.Constant<int8_t>({2, 2},
                        adj_y ? std::vector<int8_t>{1, 3, 2, 4} : std::vector<int8_t>{1, 2, 3, 4})
        .QuantizedPerAxis({1, 0.5f}, {0, 0}, adj_y ? 0 : 1);
    op.Output(HEDDLE_DTYPE_INT16).Quantized(0.5f, 0);
    op.Options([adj_y](FlatBufferBuilder& fbb) {
      return schema::CreateBatchMatMulOptions(fbb, false, adj_y);
    });
    op.Expect<int16_t>({1, 2}, {14, 10});  // 7 and 5 in steps of 0.5
  }
}

}  // namespace
}  // namespace heddle::testing
