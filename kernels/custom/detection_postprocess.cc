// SPDX-License-Identifier: Apache-2.0
// TFLite_Detection_PostProcess: from offsets [1, boxes, >= 4], scores [1, boxes, classes, perhaps
// with the background first] and anchors [boxes, 4] to the best boxes, their classes, their scores,
// and how many there are. Offsets and anchors are both float32 or uint8, scores either.
//
// Fast: each box competes by its best class, and brings `max_classes_per_detection` classes. Regular
// (use_regular_nms): the boxes of each class compete among themselves. Outputs that nothing was
// found for are 0.
#include "kernels/custom/detection_boxes.h"
#include "kernels/custom/flexbuffer_options.h"
#include "kernels/quantization.h"

namespace heddle::kernels {
namespace {

using ref::Box;

struct DetectionPostProcess {
  struct Node {
    int32_t max_detections = 0;
    int32_t classes_per_detection = 0;
    int32_t detections_per_class = 100;
    bool regular = false;
    int32_t classes = 0;
    ref::NmsParams nms;
    ref::CenteredBox scale = {1, 1, 1, 1};
  };
  struct Plan {
    int32_t boxes = 0;
    int32_t offset_size = 0;
    int32_t score_columns = 0;    // with the background
    int32_t background = 0;       // 1 if the scores have it
    int32_t most_detections = 0;  // that regular keeps
    Affine offset, anchor, score;
    int32_t decoded = 0, real_scores = 0, class_scores = 0, order = 0, dropped = 0;  // scratch
    int32_t classes = 0, best_detections = 0, merged_detections = 0;
  };
  struct Detection {
    int32_t box;
    int32_t cls;
    float score;
  };
  struct Work {
    Box* boxes;
    const float* scores;
    float* class_scores;
    int32_t* order;
    uint8_t* dropped;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    FlexbufferOptions options(op);
    HEDDLE_OP_RETURN_IF_ERROR(options.Read());
    const std::pair<const char*, int32_t*> integers[] = {
        {"max_detections", &node.max_detections},
        {"max_classes_per_detection", &node.classes_per_detection},
        {"num_classes", &node.classes}};
    for (const auto& [name, value] : integers) {
      HEDDLE_OP_RETURN_IF_ERROR(options.Get(name, true, value));
    }
    HEDDLE_OP_RETURN_IF_ERROR(
        options.Get("detections_per_class", false, &node.detections_per_class));
    HEDDLE_OP_RETURN_IF_ERROR(options.Get("use_regular_nms", false, &node.regular));
    const std::pair<const char*, float*> reals[] = {
        {"nms_score_threshold", &node.nms.score_threshold},
        {"nms_iou_threshold", &node.nms.overlap_threshold},
        {"y_scale", &node.scale.y},
        {"x_scale", &node.scale.x},
        {"h_scale", &node.scale.h},
        {"w_scale", &node.scale.w}};
    for (const auto& [name, value] : reals) {
      HEDDLE_OP_RETURN_IF_ERROR(options.Get(name, true, value));
    }
    return Check(op, node);
  }

  static heddle_status Check(const OpContext& op, const Node& node) {
    const auto invalid = [&](const char* what) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     what);
    };
    if (node.max_detections < 0) return invalid("max_detections is negative");
    if (node.classes < 1) return invalid("num_classes is not positive");
    if (node.classes_per_detection < 1) return invalid("max_classes_per_detection is not positive");
    if (node.regular && node.detections_per_class < 1) {
      return invalid("detections_per_class is not positive");
    }
    if (int64_t{node.max_detections} * node.classes_per_detection >
        std::numeric_limits<int32_t>::max()) {
      return invalid("max_detections times max_classes_per_detection does not fit 32 bits");
    }
    if (!(node.nms.overlap_threshold > 0 && node.nms.overlap_threshold <= 1)) {
      return invalid("nms_iou_threshold is not in (0, 1]");
    }
    if (node.scale.y == 0 || node.scale.x == 0 || node.scale.h == 0 || node.scale.w == 0) {
      return invalid("a scale of the offsets is 0");
    }
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 3, 4));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 3, 3));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 3, 3));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(2, 2, 2));
    for (size_t i = 0; i < 4; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(i, HEDDLE_DTYPE_FLOAT32));
    }
    const int32_t dims[] = {1, node.max_detections * node.classes_per_detection, 4};
    const std::span<const int32_t> all = dims;
    HEDDLE_OP_RETURN_IF_ERROR(op.SetOutput(0, HEDDLE_DTYPE_FLOAT32, all));
    HEDDLE_OP_RETURN_IF_ERROR(op.SetOutput(1, HEDDLE_DTYPE_FLOAT32, all.first(2)));
    HEDDLE_OP_RETURN_IF_ERROR(op.SetOutput(2, HEDDLE_DTYPE_FLOAT32, all.first(2)));
    return op.SetOutput(3, HEDDLE_DTYPE_FLOAT32, all.first(1));
  }

  // float32, or uint8 with a scale.
  static heddle_status PrepareType(const OpContext& op, size_t input, Affine* affine) {
    if (op.input(input).dtype == HEDDLE_DTYPE_FLOAT32) return HEDDLE_OK;
    if (op.input(input).dtype != HEDDLE_DTYPE_UINT8) return op.UnsupportedType(input);
    return GetAffine(op, static_cast<int32_t>(input), affine);
  }

  static heddle_status PrepareShapes(const OpContext& op, const Node& node, Plan& plan) {
    const auto offsets = op.input_dims(0);
    const auto scores = op.input_dims(1);
    const auto anchors = op.input_dims(2);
    plan.boxes = offsets[1];
    plan.offset_size = offsets[2];
    plan.score_columns = scores[2];
    plan.background = plan.score_columns == node.classes ? 0 : 1;
    const auto mismatch = [&](int32_t input, const char* wanted) {
      return op.Fail(
          HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, input, "input ", input, " has shape ",
          ShapeText(OpContext::Dims(op.input(static_cast<size_t>(input)))), ", wanted is ", wanted);
    };
    if (offsets[0] != 1 || offsets[2] < 4) return mismatch(0, "[1, boxes, 4 or more]");
    if (scores[0] != 1 || scores[1] != plan.boxes ||
        int64_t{node.classes} + plan.background != plan.score_columns) {
      return mismatch(1, "[1, boxes, num_classes or one more]");
    }
    if (anchors[0] < plan.boxes || anchors[1] != 4) return mismatch(2, "[boxes, 4]");
    // Indices of scores are 32 bits.
    if (int64_t{plan.boxes} * plan.score_columns > std::numeric_limits<int32_t>::max()) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 1, "input 1 of shape ",
                     ShapeText(scores), " has too many elements");
    }
    return HEDDLE_OK;
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(PrepareShapes(op, node, plan));
    HEDDLE_OP_RETURN_IF_ERROR(PrepareType(op, 0, &plan.offset));
    HEDDLE_OP_RETURN_IF_ERROR(PrepareType(op, 1, &plan.score));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(2, op.input(0).dtype));
    HEDDLE_OP_RETURN_IF_ERROR(PrepareType(op, 2, &plan.anchor));
    const auto boxes = static_cast<size_t>(plan.boxes);
    const auto scores = boxes * static_cast<size_t>(plan.score_columns);
    const auto classes = static_cast<size_t>(node.classes);
    plan.most_detections =
        static_cast<int32_t>(std::min(static_cast<size_t>(node.max_detections), scores));
    const size_t detections =
        node.regular ? static_cast<size_t>(plan.most_detections) * sizeof(Detection) : 0;
    const bool quantized = op.input(1).dtype == HEDDLE_DTYPE_UINT8;
    const std::pair<int32_t*, size_t> scratch[] = {
        {&plan.decoded, boxes * sizeof(Box)},
        {&plan.real_scores, quantized ? scores * sizeof(float) : 0},
        {&plan.class_scores, boxes * sizeof(float)},
        {&plan.order, boxes * sizeof(int32_t)},
        {&plan.dropped, boxes},
        {&plan.classes, classes * sizeof(int32_t)},
        {&plan.best_detections, detections},
        {&plan.merged_detections, detections}};
    for (const auto& [index, bytes] : scratch) {
      HEDDLE_OP_RETURN_IF_ERROR(op.RequestScratch(bytes, index));
    }
    return HEDDLE_OK;
  }

  static float Element(const OpContext& op, size_t input, Affine affine, int64_t i) {
    if (op.input(input).dtype == HEDDLE_DTYPE_FLOAT32) return op.InputData<float>(input)[i];
    return static_cast<float>(op.InputData<uint8_t>(input)[i] - affine.zero_point) * affine.scale;
  }

  static ref::CenteredBox FourElements(const OpContext& op, size_t input, Affine affine,
                                       int64_t i) {
    return {Element(op, input, affine, i), Element(op, input, affine, i + 1),
            Element(op, input, affine, i + 2), Element(op, input, affine, i + 3)};
  }

  static heddle_status DecodeBoxes(const OpContext& op, const Node& node, const Plan& plan,
                                   Box* boxes) {
    for (int32_t i = 0; i < plan.boxes; ++i) {
      boxes[i] = ref::DecodeBox(FourElements(op, 0, plan.offset, int64_t{i} * plan.offset_size),
                                FourElements(op, 2, plan.anchor, int64_t{i} * 4), node.scale);
      if (boxes[i].ymin > boxes[i].ymax || boxes[i].xmin > boxes[i].xmax) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 2, "anchor ", i,
                       " makes a box whose end lies before its begin");
      }
    }
    return HEDDLE_OK;
  }

  static void WriteDetection(const OpContext& op, const Box& box, int32_t cls, float score,
                             int32_t at) {
    op.OutputData<Box>(0)[at] = box;
    op.OutputData<float>(1)[at] = static_cast<float>(cls);
    op.OutputData<float>(2)[at] = score;
  }

  static int32_t RunFast(const OpContext& op, const Node& node, const Plan& plan,
                         const Work& work) {
    const auto scores_of = [&](int32_t box) {
      return work.scores + int64_t{box} * plan.score_columns + plan.background;
    };
    auto* classes = op.Scratch<int32_t>(plan.classes);
    const int32_t per_box = std::min(node.classes_per_detection, node.classes);
    for (int32_t i = 0; i < plan.boxes; ++i) {
      ref::GreatestFirst(scores_of(i), node.classes, 1, classes);
      work.class_scores[i] = scores_of(i)[classes[0]];
    }
    const int32_t selected =
        ref::SuppressNonMaxima(node.nms, work.boxes, work.class_scores, plan.boxes,
                               node.max_detections, work.order, work.dropped);
    for (int32_t i = 0; i < selected; ++i) {
      const int32_t box = work.order[i];
      ref::GreatestFirst(scores_of(box), node.classes, per_box, classes);
      for (int32_t c = 0; c < per_box; ++c) {
        WriteDetection(op, work.boxes[box], classes[c], scores_of(box)[classes[c]],
                       i * node.classes_per_detection + c);
      }
    }
    return selected;
  }

  static int32_t RunRegular(const OpContext& op, const Node& node, const Plan& plan,
                            const Work& work) {
    auto* best = op.Scratch<Detection>(plan.best_detections);
    auto* merged = op.Scratch<Detection>(plan.merged_detections);
    const int32_t per_class = std::min(node.detections_per_class, node.max_detections);
    int32_t count = 0;
    for (int32_t cls = 0; cls < node.classes; ++cls) {
      for (int32_t i = 0; i < plan.boxes; ++i) {
        work.class_scores[i] = work.scores[int64_t{i} * plan.score_columns + plan.background + cls];
      }
      const int32_t selected = ref::SuppressNonMaxima(
          node.nms, work.boxes, work.class_scores, plan.boxes, per_class, work.order, work.dropped);
      const int32_t wanted = std::min(count + selected, plan.most_detections);
      // Among equal scores those of the earlier class stay ahead.
      for (int32_t i = 0, old = 0, fresh = 0; i < wanted; ++i) {
        const bool is_fresh =
            old == count ||
            (fresh < selected && work.class_scores[work.order[fresh]] > best[old].score);
        if (is_fresh) {
          const int32_t box = work.order[fresh++];
          merged[i] = {box, cls, work.class_scores[box]};
        } else {
          merged[i] = best[old++];
        }
      }
      std::swap(best, merged);
      count = wanted;
    }
    for (int32_t i = 0; i < count; ++i) {
      WriteDetection(op, work.boxes[best[i].box], best[i].cls, best[i].score, i);
    }
    return count;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    Work work = {op.Scratch<Box>(plan.decoded), op.InputData<float>(1),
                 op.Scratch<float>(plan.class_scores), op.Scratch<int32_t>(plan.order),
                 op.Scratch<uint8_t>(plan.dropped)};
    HEDDLE_OP_RETURN_IF_ERROR(DecodeBoxes(op, node, plan, work.boxes));
    if (op.input(1).dtype == HEDDLE_DTYPE_UINT8) {
      auto* scores = op.Scratch<float>(plan.real_scores);
      const int64_t count = int64_t{plan.boxes} * plan.score_columns;
      for (int64_t i = 0; i < count; ++i) scores[i] = Element(op, 1, plan.score, i);
      work.scores = scores;
    }
    for (size_t i = 0; i < 3; ++i) {
      std::fill_n(op.OutputData<float>(i), op.output(i).bytes / sizeof(float), 0.0f);
    }
    const int32_t detections =
        node.regular ? RunRegular(op, node, plan, work) : RunFast(op, node, plan, work);
    op.OutputData<float>(3)[0] = static_cast<float>(detections);
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_CUSTOM_OP(TFLite_Detection_PostProcess, 1, 1, DetectionPostProcess);

}  // namespace heddle::kernels
