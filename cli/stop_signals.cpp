#include "cli/stop_signals.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stop_token>
#include <utility>

#include <unistd.h>

#include "base/check.h"

namespace paretrain::cli {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP, SIGUSR1};

// A handler can reach nothing else than a global.
volatile std::sig_atomic_t noted_signal = 0;  // NOLINT(*-avoid-non-const-global-variables)

extern "C" void leave_now(int signal) {
  constexpr int kSignalled = 128;
  ::_exit(signal == SIGUSR1 ? 0 : kSignalled + signal);
}

extern "C" void note_signal(int signal) {
  if (noted_signal != 0) leave_now(signal);
  noted_signal = signal;
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};

  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;

  struct sigaction before {};

  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

}  // namespace

void leave_at_signals() {
  for (const int signal : kSignals)
    handle(signal, leave_now);
}

StopSignals::StopSignals() {
  noted_signal = 0;
  for (const int signal : kSignals)
    handle(signal, note_signal);
}

StopSignals::~StopSignals() {
  leave_at_signals();
}

StopRequest StopSignals::request() noexcept {
  switch (noted_signal) {
    case SIGUSR1:
      return StopRequest::Save;
    case SIGHUP:
      return StopRequest::Hangup;
    case SIGINT:
      return StopRequest::Interrupt;
    case SIGTERM:
      return StopRequest::Terminate;
    default:
      return StopRequest::None;  // an int, not an enum
  }
}

LeaveAtSignal::LeaveAtSignal(std::function<int(StopRequest)> leave)
    : watch_([leave = std::move(leave)](const std::stop_token& end) {
        constexpr std::chrono::milliseconds kBetweenLooks{50};
        std::mutex mutex;
        std::condition_variable_any ended;
        std::unique_lock lock(mutex);
        while (!end.stop_requested()) {
          const StopRequest request = StopSignals::request();
          if (request != StopRequest::None) std::_Exit(leave(request));
          ended.wait_for(lock, end, kBetweenLooks, [] { return false; });
        }
      }) {}

int exit_code(StopRequest request) {
  switch (request) {
    case StopRequest::Save:
      return 0;
    case StopRequest::Hangup:
      return 128 + SIGHUP;
    case StopRequest::Interrupt:
      return 128 + SIGINT;
    case StopRequest::Terminate:
      return 128 + SIGTERM;
    case StopRequest::None:
      break;
  }
  CHECK(false, "no request to stop");
}

}  // namespace paretrain::cli
