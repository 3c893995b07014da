// SPDX-License-Identifier: Apache-2.0
// What interpreters of one application share: threads, memory functions, log.
#pragma once

#include <memory>

#include "heddle/heddle.h"
#include "runtime/base/allocator.h"
#include "runtime/base/log.h"
#include "runtime/base/status.h"
#include "runtime/sync/submission_queue.h"
#include "runtime/sync/thread_pool.h"

namespace heddle {

// Thread-safe. Models, interpreters and buffers hold it by std::shared_ptr, so it goes last.
class Environment {
 public:
  explicit Environment(const heddle_environment_options& options)
      : allocator_(options.allocator != nullptr ? std::make_shared<Allocator>(*options.allocator)
                                                : std::make_shared<Allocator>()),
        logger_(options.log_sink, options.max_log_lines),
        isa_limit_(options.isa_limit),
        pool_(options.num_threads) {}

  const std::shared_ptr<Allocator>& allocator() const { return allocator_; }
  Logger& logger() { return logger_; }
  heddle_isa isa_limit() const { return isa_limit_; }
  ThreadPool& pool() { return pool_; }
  SubmissionQueue& submissions() { return submissions_; }

  // Fails in a process forked after the environment was made.
  Status CheckProcess() const {
    if (pool_.Usable()) return {};
    return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_FORKED,
                  "the environment was made before fork() in another process");
  }

 private:
  std::shared_ptr<Allocator> allocator_;
  Logger logger_;
  heddle_isa isa_limit_;
  ThreadPool pool_;
  SubmissionQueue submissions_;
};

}  // namespace heddle
