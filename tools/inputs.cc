// SPDX-License-Identifier: Apache-2.0
#include "tools/inputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>
#include <utility>

#include "tools/convert.h"
#include "tools/json_out.h"
#include "tools/media.h"
#include "tools/npy.h"

namespace heddle::tools {
namespace {

// How an array of an archive is called.
std::string Member(const std::string& archive, const std::string& name) {
  return archive + ":" + name;
}

// The file of one input.
struct Source {
  std::string path;
  std::optional<Array> array;  // of .npy and .npz
  FileKind kind = FileKind::kUnknown;
  Bytes file;  // of pictures and sound
};

struct Target {
  size_t input;
  std::string value;
};

class Feeder {
 public:
  Feeder(const SessionOptions& session, const Loaded& loaded, const InputOptions& options,
         const ModelMetadata& metadata, Interpreter* interpreter)
      : session_(session),
        loaded_(loaded),
        options_(options),
        metadata_(metadata),
        interpreter_(*interpreter),
        sources_(interpreter->input_count()),
        is_resized_(interpreter->input_count()) {}

  Result<Feed> Run() {
    Status status = ReadOptions();
    for (size_t i = 0; i < sources_.size() && status.ok(); ++i) status = FitShape(i);
    if (!status.ok()) return status;
    const auto begin = std::chrono::steady_clock::now();
    status = interpreter_.Prepare();
    feed_.prepare_ms = Milliseconds(std::chrono::steady_clock::now() - begin);
    for (size_t i = 0; i < sources_.size() && status.ok(); ++i) status = Fill(i);
    if (!status.ok()) return status;
    return std::move(feed_);
  }

 private:
  std::string Describe(size_t input) const {
    return "input " + std::to_string(input) + " '" + interpreter_.input_name(input) + "'";
  }

  std::string ListInputs() const {
    std::string text;
    for (size_t i = 0; i < sources_.size(); ++i) {
      text += (i > 0 ? ", " : "") + std::to_string(i) + " '" + interpreter_.input_name(i) + "'";
    }
    return sources_.empty() ? "the model has no inputs" : "the inputs are " + text;
  }

  // By name, else by position.
  std::optional<size_t> FindInput(const std::string& name) const {
    if (const std::optional<size_t> found = interpreter_.FindInput(name)) return found;
    size_t position = 0;
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data(), end, position);
    if (name.empty() || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    if (position >= sources_.size()) return std::nullopt;
    return position;
  }

  // "NAME=VALUE"; names may have '=' in them.
  Result<Target> ParseTarget(const char* option, const std::string& text) const {
    for (size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
      const std::optional<size_t> input = FindInput(text.substr(0, at));
      if (input) return Target{*input, text.substr(at + 1)};
    }
    const size_t first = text.find('=');
    if (first == std::string::npos) {
      return BadArgument(std::string(option) + " " + text + ": expected NAME=...; " + ListInputs());
    }
    return BadArgument(std::string(option) + ": there is no input '" + text.substr(0, first) +
                           "'; " + ListInputs(),
                       HEDDLE_REASON_NAME_UNKNOWN);
  }

  Status ReadOptions() {
    for (const std::string& text : options_.resizes) {
      Result<Target> target = ParseTarget("--resize", text);
      Status status = target ? ResizeTo(*target) : target.error();
      if (!status.ok()) return status;
    }
    for (const std::string& text : options_.inputs) {
      Status status = ReadInput(text);
      if (!status.ok()) return status;
    }
    return {};
  }

  Status ResizeTo(const Target& target) {
    std::vector<int32_t> dims;
    const char* at = target.value.data();
    const char* end = at + target.value.size();
    while (at < end) {
      int32_t dim = 0;
      const auto parsed = std::from_chars(at, end, dim);
      if (parsed.ec != std::errc() || dim < 0 || (parsed.ptr != end && *parsed.ptr != ',')) {
        return BadArgument("--resize: '" + target.value + "' is no list of sizes such as 1,8,8,1");
      }
      dims.push_back(dim);
      at = parsed.ptr + (parsed.ptr != end ? 1 : 0);
    }
    is_resized_[target.input] = true;
    return interpreter_.Resize(target.input, dims);
  }

  Status ReadInput(const std::string& text) {
    std::error_code ignored;
    const bool is_file = std::filesystem::exists(text, ignored);
    if (!is_file && text.find('=') != std::string::npos) {
      const Result<Target> target = ParseTarget("--input", text);
      if (!target) return target.error();
      return ReadFor(target->input, target->value);
    }
    Result<Bytes> file = ReadFile(text);
    if (!file) return file.error();
    if (KindOf(*file) == FileKind::kNpz) return ReadAll(text, *file);
    if (sources_.size() == 1) return ReadFor(0, text);
    return BadArgument("--input " + text + ": which input? Write NAME=FILE; " + ListInputs());
  }

  Status Give(size_t input, Source source) {
    if (sources_[input]) return BadArgument("--input: " + Describe(input) + " is given twice");
    sources_[input] = std::move(source);
    return {};
  }

  // Every array of the archive goes to the input of its name; arr_0, arr_1... to positions.
  Status ReadAll(const std::string& path, const Bytes& file) {
    Result<NamedArrays> arrays = ParseNpz(file, path);
    if (!arrays) return arrays.error();
    for (auto& [name, array] : *arrays) {
      std::optional<size_t> input = interpreter_.FindInput(name);
      if (!input && name.rfind("arr_", 0) == 0) input = FindInput(name.substr(4));
      if (!input) {
        std::string message = path;
        message.append(": there is no input '").append(name).append("' for this array; ");
        return BadArgument(message.append(ListInputs()), HEDDLE_REASON_NAME_UNKNOWN);
      }
      Status given = Give(*input, {Member(path, name), std::move(array), FileKind::kNpz, {}});
      if (!given.ok()) return given;
    }
    return {};
  }

  // FILE, or FILE.npz:ARRAY.
  Status ReadFor(size_t input, const std::string& value) {
    std::string path = value;
    std::string wanted;
    const size_t archive = value.rfind(".npz:");
    std::error_code ignored;
    if (archive != std::string::npos && !std::filesystem::exists(value, ignored)) {
      path = value.substr(0, archive + 4);
      wanted = value.substr(archive + 5);
    }
    Result<Bytes> file = ReadFile(path);
    if (!file) return file.error();
    const FileKind kind = KindOf(*file);
    if (kind == FileKind::kUnknown) {
      return BadFile(path, "is no .npy, .npz, PNG, JPEG, BMP or WAV file");
    }
    if (kind == FileKind::kImage || kind == FileKind::kAudio) {
      return Give(input, {path, std::nullopt, kind, *std::move(file)});
    }
    if (kind == FileKind::kNpy) {
      Result<Array> array = ParseNpy(*file, path);
      if (!array) return array.error();
      return Give(input, {path, *std::move(array), kind, {}});
    }
    Result<NamedArrays> arrays = ParseNpz(*file, path);
    if (!arrays) return arrays.error();
    if (wanted.empty()) {
      wanted = arrays->size() == 1 ? (*arrays)[0].first : interpreter_.input_name(input);
    }
    std::string names;
    for (auto& [name, array] : *arrays) {
      if (name == wanted) {
        return Give(input, {Member(path, name), std::move(array), kind, {}});
      }
      names.append(names.empty() ? "'" : ", '").append(name).append("'");
    }
    return BadArgument(path + ": there is no array '" + wanted + "'; it has " +
                           (names.empty() ? "none" : names) + " (choose with FILE.npz:ARRAY)",
                       HEDDLE_REASON_NAME_UNKNOWN);
  }

  Result<Fitted> Fit(const Source& source, size_t input, const heddle_tensor_info& info) const {
    const TensorMetadata* about = MetadataOf(input);
    if (source.kind == FileKind::kAudio) {
      return FitAudio(source.file, source.path, info, about ? about->sample_rate : 0);
    }
    Normalization normalization = {options_.mean, options_.deviation, "--mean and --std"};
    if (options_.mean.empty() && options_.deviation.empty() && about != nullptr) {
      normalization = {about->mean, about->deviation, "the model's metadata"};
    }
    return FitImage(source.file, source.path, info, normalization);
  }

  // Metadata lists the tensors of the first subgraph in its order.
  const TensorMetadata* MetadataOf(size_t input) const {
    const Entry entry = EntryOf(loaded_.model, session_.signature);
    const std::vector<int32_t> listed = EntryOf(loaded_.model, "").inputs;
    if (entry.subgraph != 0 || input >= entry.inputs.size()) return nullptr;
    const auto found = std::find(listed.begin(), listed.end(), entry.inputs[input]);
    const auto position = static_cast<size_t>(found - listed.begin());
    return position < metadata_.inputs.size() ? &metadata_.inputs[position] : nullptr;
  }

  // Gives the input the shape of its file.
  Status FitShape(size_t input) {
    const std::optional<Source>& source = sources_[input];
    if (!source) return {};
    const Result<heddle_tensor_info> info = interpreter_.input_info(input);
    if (!info) return info.error();
    std::vector<int32_t> wanted;
    if (source->array) {
      for (const int64_t dim : source->array->shape) {
        if (dim > INT32_MAX) return BadFile(source->path, "it is too large for a tensor");
        wanted.push_back(static_cast<int32_t>(dim));
      }
    } else {
      const Result<Fitted> fitted = Fit(*source, input, *info);
      if (!fitted) return fitted.error();
      wanted = fitted->dims;
    }
    const std::vector<int32_t> dims(Dims(*info).begin(), Dims(*info).end());
    if (wanted == dims) return {};
    const std::string shapes =
        ShapeText(wanted) + ", " + Describe(input) + " is " + ShapeText(*info);
    if (is_resized_[input]) {
      return BadArgument(source->path + " is " + shapes + " by --resize",
                         HEDDLE_REASON_SHAPE_MISMATCH);
    }
    if (info->rank > 0 && wanted.size() != dims.size()) {
      return BadArgument(source->path + " is " + shapes +
                             ": the number of dimensions differs (--resize overrides)",
                         HEDDLE_REASON_SHAPE_MISMATCH);
    }
    feed_.notes.push_back(Describe(input) + " resized from " + ShapeText(*info) + " to " +
                          ShapeText(wanted) + " as " + source->path);
    return interpreter_.Resize(input, wanted);
  }

  Result<Bytes> Contents(size_t input, const heddle_tensor_info& info) {
    const std::optional<Source>& source = sources_[input];
    if (!source && options_.random_seed) {
      feed_.sources.emplace_back("random");
      return RandomBytes(info, *options_.random_seed + input, Describe(input));
    }
    if (!source) {
      feed_.sources.emplace_back("zeros");
      if (info.dtype != HEDDLE_DTYPE_STRING) return Bytes(info.bytes, 0);
      size_t count = 1;
      for (const int32_t dim : Dims(info)) count *= static_cast<size_t>(dim);
      return EncodeStrings(std::vector<std::string>(count));
    }
    feed_.sources.push_back(source->path);
    if (source->array) {
      if (source->array->dtype != info.dtype) {
        feed_.notes.push_back(
            source->path + " is " + heddle_dtype_get_name(source->array->dtype) + ": " +
            (AffineOf(info).is_set && IsFloat(source->array->dtype) ? "quantised" : "converted") +
            " to " + heddle_dtype_get_name(info.dtype));
      }
      return ConvertArray(*source->array, info, source->path);
    }
    Result<Fitted> fitted = Fit(*source, input, info);
    if (!fitted) return fitted.error();
    feed_.notes.push_back(fitted->note);
    feed_.pictures += fitted->text;
    return std::move(fitted->data);
  }

  Status Fill(size_t input) {
    const Result<heddle_tensor_info> info = interpreter_.input_info(input);
    if (!info) return info.error();
    const Result<Bytes> contents = Contents(input, *info);
    if (!contents) return contents.error();
    return interpreter_.SetInput(input, contents->data(), contents->size());
  }

  const SessionOptions& session_;
  const Loaded& loaded_;
  const InputOptions& options_;
  const ModelMetadata& metadata_;
  Interpreter& interpreter_;
  std::vector<std::optional<Source>> sources_;
  std::vector<bool> is_resized_;
  Feed feed_;
};

}  // namespace

void AddInputOptions(CLI::App* command, InputOptions* options) {
  command
      ->add_option("--input", options->inputs,
                   "NAME=FILE or N=FILE: .npy, .npz, PNG, JPEG, BMP or WAV. A .npz alone fills "
                   "the inputs that its arrays name")
      ->type_name("[NAME=]FILE");
  command->add_option("--resize", options->resizes, "Another shape for an input: NAME=1,2,3")
      ->type_name("NAME=DIMS");
  command
      ->add_option("--random-seed", options->random_seed,
                   "Random contents for inputs without a file: floats in [-1,1), 8-bit and "
                   "quantised integers over their range, other integers 0 or 1")
      ->type_name("N");
  command
      ->add_option("--mean", options->mean,
                   "Of pictures: value = (pixel - mean) / std, one number or one a channel. "
                   "Default: the model's metadata, else pixel / 255 (8 bits: the pixel)")
      ->delimiter(',')
      ->type_name("X[,X...]");
  command->add_option("--std", options->deviation, "See --mean")
      ->delimiter(',')
      ->type_name("X[,X...]");
}

Result<Feed> FeedInputs(const SessionOptions& session, const Loaded& loaded,
                        const InputOptions& options, const ModelMetadata& metadata,
                        Interpreter* interpreter) {
  return Feeder(session, loaded, options, metadata, interpreter).Run();
}

}  // namespace heddle::tools
