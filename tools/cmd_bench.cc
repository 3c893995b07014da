// SPDX-License-Identifier: Apache-2.0
// heddle bench: how long a model takes and what memory it needs.
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/json_out.h"
#include "tools/process.h"
#include "tools/profile.h"
#include "tools/statistics.h"
#include "tools/table.h"

namespace heddle::tools {
namespace {

using Clock = std::chrono::steady_clock;

// Without --runs: until both are reached, but not beyond the limit.
constexpr size_t kLeastRuns = 50;
constexpr double kLeastMs = 1000;
constexpr double kMostMs = 10000;
constexpr size_t kMostRuns = 1000000;
// Without --warmup.
constexpr size_t kWarmupRuns = 10;
constexpr double kMostWarmupMs = 500;
constexpr double kMostProfileMs = 2000;

struct Options {
  SessionOptions session;
  InputOptions inputs;
  std::optional<size_t> runs;
  std::optional<size_t> warmup;
  bool profile = false;
  bool json = false;
};

struct Figures {
  double load_ms = 0;
  double create_ms = 0;
  double prepare_ms = 0;
  double first_inference_ms = 0;
  size_t warmup_runs = 0;
  std::vector<double> latencies_ms;
  uint64_t peak_memory_bytes = 0;
};

// One line that is written over; nothing unless stderr is a terminal.
class Progress {
 public:
  void Show(const std::string& text) const {
    if (is_on_) std::fprintf(stderr, "\r\033[K%s", text.c_str());
  }
  ~Progress() { Show(""); }

 private:
  bool is_on_ = IsTerminal();
};

Status TimedInvoke(Interpreter* interpreter, const RunOptions& options, double* ms) {
  const Clock::time_point begin = Clock::now();
  Status status = interpreter->Invoke(options);
  *ms = Milliseconds(Clock::now() - begin);
  return status;
}

// The warm-up and the measured runs.
Status Measure(const Options& options, Interpreter* interpreter, Figures* figures) {
  const Progress progress;
  double ms = 0;
  Clock::time_point begin = Clock::now();
  const auto since = [&] { return Milliseconds(Clock::now() - begin); };
  const size_t warmup = options.warmup.value_or(kWarmupRuns);
  while (figures->warmup_runs < warmup && (options.warmup || since() < kMostWarmupMs)) {
    Status status = TimedInvoke(interpreter, {}, &ms);
    if (!status.ok()) return status;
    ++figures->warmup_runs;
  }

  begin = Clock::now();
  double shown_at = 0;
  const auto goes_on = [&] {
    const size_t done = figures->latencies_ms.size();
    if (options.runs) return done < *options.runs;
    const double elapsed = since();
    return done == 0 ||
           (done < kMostRuns && elapsed < kMostMs && (done < kLeastRuns || elapsed < kLeastMs));
  };
  while (goes_on()) {
    Status status = TimedInvoke(interpreter, {}, &ms);
    if (!status.ok()) return status;
    figures->latencies_ms.push_back(ms);
    if (since() - shown_at < 200) continue;
    shown_at = since();
    progress.Show(Counted(figures->latencies_ms.size(), "run"));
  }
  return {};
}

// Runs of its own: an observer costs time.
Result<size_t> Profile(const Options& options, Interpreter* interpreter, NodeProfile* profile) {
  RunOptions run_options;
  profile->Observe(&run_options);
  const size_t most = options.runs.value_or(kLeastRuns);
  const Clock::time_point begin = Clock::now();
  size_t runs = 0;
  while (runs < most &&
         (options.runs || runs == 0 || Milliseconds(Clock::now() - begin) < kMostProfileMs)) {
    profile->Begin();
    Status status = interpreter->Invoke(run_options);
    if (!status.ok()) return status;
    ++runs;
  }
  return runs;
}

Json ToJson(const Options& options, const Figures& figures, const heddle_memory_info& memory,
            int32_t threads) {
  const Statistics latency = StatisticsOf(figures.latencies_ms);
  return {
      {"model", options.session.model},
      {"library", LibraryInfo().build_id},
      {"threads", threads},
      {"kernels", options.session.kernels},
      {"runs", figures.latencies_ms.size()},
      {"warmup_runs", figures.warmup_runs},
      {"latency_ms",
       {{"p50", latency.p50},
        {"p90", latency.p90},
        {"p99", latency.p99},
        {"mean", latency.mean},
        {"min", latency.min},
        {"max", latency.max}}},
      {"init_ms", figures.load_ms + figures.create_ms + figures.prepare_ms},
      {"init_parts_ms",
       {{"load", figures.load_ms}, {"create", figures.create_ms}, {"prepare", figures.prepare_ms}}},
      {"first_inference_ms", figures.first_inference_ms},
      {"peak_memory_bytes", figures.peak_memory_bytes},
      {"arena_bytes", memory.arena_bytes},
      {"arena_lower_bound_bytes", memory.arena_lower_bound_bytes},
      {"dynamic_bytes", memory.dynamic_bytes},
      {"variable_bytes", memory.variable_bytes},
      {"shared_weight_bytes", memory.shared_weight_bytes}};
}

void PrintText(const Options& options, const Figures& figures, const heddle_memory_info& memory,
               int32_t threads) {
  const Statistics latency = StatisticsOf(figures.latencies_ms);
  const auto ms = [](double value) { return Fixed(value, 3); };
  std::printf("%s, %s, %s after %s\n", BaseName(options.session.model).c_str(),
              Counted(static_cast<size_t>(threads), "thread").c_str(),
              Counted(figures.latencies_ms.size(), "run").c_str(),
              Counted(figures.warmup_runs, "warm-up run").c_str());
  std::printf("  latency          p50 %s  p90 %s  p99 %s  mean %s  min %s ms\n",
              ms(latency.p50).c_str(), ms(latency.p90).c_str(), ms(latency.p99).c_str(),
              ms(latency.mean).c_str(), ms(latency.min).c_str());
  std::printf("  init             %s ms (load %s, create %s, prepare %s)\n",
              ms(figures.load_ms + figures.create_ms + figures.prepare_ms).c_str(),
              ms(figures.load_ms).c_str(), ms(figures.create_ms).c_str(),
              ms(figures.prepare_ms).c_str());
  std::printf("  first inference  %s ms\n", ms(figures.first_inference_ms).c_str());
  std::printf("  memory           peak of the process %s, arena %s (lower bound %s)\n",
              BytesText(figures.peak_memory_bytes).c_str(), BytesText(memory.arena_bytes).c_str(),
              BytesText(memory.arena_lower_bound_bytes).c_str());
}

Status Bench(const Options& options) {
  Figures figures;
  const Result<Loaded> loaded = Load(options.session);
  if (!loaded) return loaded.error();
  figures.load_ms = loaded->load_ms;
  const Clock::time_point begin = Clock::now();
  Result<Interpreter> interpreter = MakeInterpreter(*loaded, options.session);
  if (!interpreter) return interpreter.error();
  figures.create_ms = Milliseconds(Clock::now() - begin);
  const ModelMetadata metadata = ReadMetadata(loaded->model, options.session.model);
  const Result<Feed> feed =
      FeedInputs(options.session, *loaded, options.inputs, metadata, &*interpreter);
  if (!feed) return feed.error();
  figures.prepare_ms = feed->prepare_ms;

  Status status = TimedInvoke(&*interpreter, {}, &figures.first_inference_ms);
  if (status.ok()) status = Measure(options, &*interpreter, &figures);
  if (!status.ok()) return status;
  figures.peak_memory_bytes = PeakMemoryBytes();
  const heddle_memory_info memory = interpreter->memory();
  const int32_t threads = loaded->environment.num_threads();
  NodeProfile profile;
  size_t profile_runs = 0;
  if (options.profile) {
    const Result<size_t> profiled = Profile(options, &*interpreter, &profile);
    if (!profiled) return profiled.error();
    profile_runs = *profiled;
  }

  PrintNotes(feed->notes);
  if (options.json) {
    Json json = ToJson(options, figures, memory, threads);
    if (options.profile) json["profile"] = profile.ToJson(profile_runs);
    return PrintJson(json);
  }
  PrintText(options, figures, memory, threads);
  if (options.profile) std::printf("%s", profile.Text(profile_runs).c_str());
  return {};
}

}  // namespace

void AddBench(CLI::App* app, Chosen* chosen) {
  auto options = std::make_shared<Options>();
  options->inputs.random_seed = 0;
  CLI::App* command = app->add_subcommand("bench", "Measures latency, start-up time and memory");
  AddModelOptions(command, &options->session);
  AddInputOptions(command, &options->inputs);
  AddRunOptions(command, &options->session);
  command
      ->add_option("--runs", options->runs,
                   "Measured runs; default: at least 50 and 1 s, at most 10 s")
      ->check(CLI::Range(size_t{1}, kMostRuns));
  command->add_option(
      "--warmup", options->warmup,
      "Runs before them; default: 10, at most 0.5 s; the first inference is not one");
  command->add_flag("--profile", options->profile, "Time per operator, from further runs");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, chosen] { *chosen = [options] { return Bench(*options); }; });
}

}  // namespace heddle::tools
