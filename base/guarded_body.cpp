#include "base/guarded_body.h"

namespace paretrain {

void GuardedBody::operator()(std::size_t index) {
  try {
    body_.call(body_.context, index);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (index >= index_) return;
    index_ = index;
    error_ = std::current_exception();
  }
}

void GuardedBody::rethrow() const {
  if (error_) std::rethrow_exception(error_);
}

}  // namespace paretrain
