#include "cli/machine.h"

#include <array>
#include <ctime>
#include <thread>

#include <unistd.h>

namespace paretrain::cli {

std::string time_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> buffer{};
  const std::size_t length =
      std::strftime(buffer.data(), buffer.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {buffer.data(), length};
}

results::MachineSummary machine_summary(int threads) {
  results::MachineSummary machine;
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) == 0) machine.host = host.data();
  machine.started = time_text();
  machine.processors = static_cast<std::int64_t>(std::thread::hardware_concurrency());
  machine.threads = threads == 0 ? machine.processors : threads;
  return machine;
}

}  // namespace paretrain::cli
