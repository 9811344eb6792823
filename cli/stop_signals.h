// Why: a long run that is told to stop must end with everything saved; only a second request means
// at once.
#pragma once

namespace paretrain::cli {

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

// 129, 130, 143; 0 for Save. Requires: not None.
[[nodiscard]] int exit_code(StopRequest request);

}  // namespace paretrain::cli
