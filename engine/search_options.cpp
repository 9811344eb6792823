#include "engine/search_options.h"

namespace paretrain::engine {

double local_search_share(const SearchOptions& options, const GenomeLayout& layout) noexcept {
  constexpr double kUsual = 0.2;
  return options.local_search.value_or(layout.has_reals_only() ? 0 : kUsual);
}

}  // namespace paretrain::engine
