#include "base/shared_loop.h"

#include "base/guarded_body.h"

namespace paretrain {

namespace {

// Of this thread. Which one it is decides who computes, never what.
LoopSharing*& current_sharing() noexcept {
  thread_local LoopSharing* sharing = nullptr;
  return sharing;
}

}  // namespace

SharingScope::SharingScope(LoopSharing& sharing) noexcept : before_(current_sharing()) {
  current_sharing() = &sharing;
}

SharingScope::~SharingScope() {
  current_sharing() = before_;
}

std::size_t sharing_threads() noexcept {
  const LoopSharing* const sharing = current_sharing();
  return sharing == nullptr ? 1 : sharing->threads();
}

void run_shared(std::size_t count, LoopBody body) {
  LoopSharing* const sharing = current_sharing();
  if (sharing == nullptr || count < 2) {
    for (std::size_t index = 0; index < count; ++index)
      body.call(body.context, index);
    return;
  }
  GuardedBody guarded(body);
  sharing->share(count, loop_body(guarded));
  guarded.rethrow();
}

}  // namespace paretrain
