// SPDX-License-Identifier: Apache-2.0
// Runs on the environment's submission thread.
#include "runtime/exec/interpreter.h"

namespace heddle {
namespace {

// Keeps the interpreter (and by it the environment) alive, and its lease taken, until the run is
// told.
class InvokeSubmission final : public Submission {
 public:
  InvokeSubmission(std::shared_ptr<Interpreter> interpreter, Interpreter::Lease lease,
                   RunRequest request, std::shared_ptr<Event> event)
      : interpreter_(std::move(interpreter)),
        lease_(std::make_unique<Interpreter::Lease>(std::move(lease))),
        request_(std::move(request)),
        event_(std::move(event)) {}

  void Run() override { Finish(interpreter_->Invoke(request_)); }
  void Fail(Status status) noexcept override { Finish(std::move(status)); }

 private:
  void Finish(Status status) noexcept {
    // Whoever waits for the event may use or destroy the interpreter, and what it was made with, at
    // once.
    lease_.reset();
    request_ = {};
    interpreter_.reset();
    event_->Complete(std::move(status));
  }

  std::shared_ptr<Interpreter> interpreter_;
  std::unique_ptr<Interpreter::Lease> lease_;
  RunRequest request_;
  std::shared_ptr<Event> event_;
};

}  // namespace

Status Interpreter::InvokeAsync(std::shared_ptr<Interpreter> self, Lease lease, RunRequest request,
                                std::shared_ptr<Event> event) {
  const int32_t priority = request.priority;
  return environment_->submissions().Submit(
      priority, std::make_unique<InvokeSubmission>(std::move(self), std::move(lease),
                                                   std::move(request), std::move(event)));
}

}  // namespace heddle
