// Why: what runs loops on several threads and what the loops do know nothing of each other's types.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

namespace paretrain {

// Body of a loop without knowing its type.
struct LoopBody {
  void* context = nullptr;
  void (*call)(void* context, std::size_t index) = nullptr;
};

// Requires: `body` outlives the result.
template <class Body>
[[nodiscard]] LoopBody loop_body(Body& body) {
  return {.context = const_cast<std::remove_const_t<Body>*>(std::addressof(body)),
          .call = [](void* context, std::size_t index) { (*static_cast<Body*>(context))(index); }};
}

}  // namespace paretrain
