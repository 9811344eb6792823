#include "problems/onnx_faults.h"

#include "base/number_text.h"
#include "base/printable_text.h"

namespace paretrain::problems {

namespace {

constexpr std::size_t kMaximumFaults = 20;
constexpr std::size_t kMaximumName = 80;

std::string shortened(std::string text) {
  if (text.size() <= kMaximumName) return text;
  text.resize(kMaximumName);
  // The cut may fall inside a character.
  return printable(text) + "...";
}

}  // namespace

std::string quoted(std::string_view name) {
  std::string text(1, '\'');
  text += shortened(printable(name.substr(0, 4 * kMaximumName)));
  text += '\'';
  return text;
}

OnnxFaults::OnnxFaults(std::string_view label) : label_(printable(label)) {}

void OnnxFaults::add(std::string_view place, std::string_view what, std::string_view hint) {
  ++count_;
  if (problems_.size() == kMaximumFaults) return;
  const std::string where = place.empty() ? label_ : label_ + ": " + std::string(place);
  problems_.push_back({where, std::string(what), std::string(hint)});
}

void OnnxFaults::throw_if_any() const {
  if (empty()) return;
  std::vector<Problem> problems = problems_;
  if (count_ > problems.size()) {
    const auto more = static_cast<std::int64_t>(count_ - problems.size());
    problems.push_back({label_, "and " + number_text(more) + " more faults of this kind", ""});
  }
  throw InputError(std::move(problems));
}

}  // namespace paretrain::problems
