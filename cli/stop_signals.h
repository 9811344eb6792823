// Why: a long run that is told to stop must end with everything saved; only a second request means
// at once.
#pragma once

#include <functional>
#include <thread>

namespace paretrain::cli {

// Until something can be saved, the first of these signals ends the program with its exit code.
void leave_at_signals();

enum class StopRequest { None, Save, Hangup, Interrupt, Terminate };

// While one of these lives, SIGINT, SIGTERM, SIGHUP and SIGUSR1 are noted instead of ending the
// program; the second one ends it at once with the exit code of its signal. A signal that was
// ignored when the program started (nohup) stays ignored. At most one at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;
  StopSignals(StopSignals&&) = delete;
  StopSignals& operator=(StopSignals&&) = delete;

  [[nodiscard]] static StopRequest request() noexcept;
};

// While one of these lives, the first signal that StopSignals notes ends the program at once, for
// work that has nothing to save: `leave` is called on a thread of its own, while the work goes on,
// and the program ends with what it returns. Requires: `leave` does not touch what the work uses.
class LeaveAtSignal {
 public:
  explicit LeaveAtSignal(std::function<int(StopRequest)> leave);
  // No signal is noticed any more once this returns.
  ~LeaveAtSignal() = default;
  LeaveAtSignal(const LeaveAtSignal&) = delete;
  LeaveAtSignal& operator=(const LeaveAtSignal&) = delete;
  LeaveAtSignal(LeaveAtSignal&&) = delete;
  LeaveAtSignal& operator=(LeaveAtSignal&&) = delete;

 private:
  std::jthread watch_;
};

// 129, 130, 143; 0 for Save. Requires: not None.
[[nodiscard]] int exit_code(StopRequest request);

}  // namespace paretrain::cli
