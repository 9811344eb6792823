// The only file that meets Boost.Serialization.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <exception>
#include <optional>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <type_traits>
#include <utility>

#include <boost/archive/impl/archive_serializer_map.ipp>
#include <boost/archive/impl/basic_text_iarchive.ipp>
#include <boost/archive/impl/basic_text_oarchive.ipp>
#include <boost/archive/impl/text_iarchive_impl.ipp>
#include <boost/archive/impl/text_oarchive_impl.ipp>
#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/version.hpp>

#include "base/error.h"
#include "results/run_snapshot.h"
#include "results/snapshot_frame.h"

namespace paretrain::results {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";
constexpr std::size_t kNumberDigits = 16;

// What the archive refuses to be: reported as an InputError by the caller.
class BadContent : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "its content is malformed"; }
};

template <class Number>
std::uint64_t bits_of(Number number) {
  if constexpr (std::is_same_v<Number, double>) {
    return std::bit_cast<std::uint64_t>(number);
  } else {
    return number;
  }
}

template <class Number>
Number number_of(std::uint64_t bits) {
  if constexpr (std::is_same_v<Number, double>) {
    return std::bit_cast<double>(bits);
  } else {
    return static_cast<Number>(bits);
  }
}

// The library's text archive takes the length of a text as it stands and asks for as much memory;
// this one asks for no more than the whole input has.
class BoundedInput : public boost::archive::text_iarchive_impl<BoundedInput> {
 public:
  BoundedInput(std::istream& stream, std::size_t input_bytes)
      : text_iarchive_impl(stream, 0), input_bytes_(input_bytes) {
    init();
  }

 private:
  friend class boost::archive::detail::interface_iarchive<BoundedInput>;
  friend class boost::archive::load_access;

  template <class Value>
  void load_override(Value& value) {
    text_iarchive_impl::load_override(value);
  }

  void load_override(boost::archive::class_name_type& name) {
    text_iarchive_impl::load_override(name);
  }

  void load_override(std::string& text) {
    std::size_t size = 0;
    *this >> size;
    if (size > input_bytes_) throw BadContent();
    is.get();  // the blank between length and text
    text.resize(size);
    is.read(text.data(), static_cast<std::streamsize>(size));
    if (!is) throw BadContent();
  }

  std::size_t input_bytes_;
};

// The digits of every byte.
constexpr auto kByteDigits = [] {
  std::array<std::array<char, 2>, 256> digits{};
  for (std::size_t byte = 0; byte < digits.size(); ++byte)
    digits[byte] = {kHexDigits[byte >> 4U], kHexDigits[byte & 0xFU]};
  return digits;
}();

// Of kNumberDigits characters.
void put_digits(char* at, std::uint64_t bits) {
  for (std::size_t byte = 0; byte < 8; ++byte, at += 2)
    std::memcpy(at, kByteDigits[(bits >> (56 - 8 * byte)) & 0xFFU].data(), 2);
}

// Appends what a stream is given to a text.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string& text) : text_(text) {}

 private:
  int_type overflow(int_type character) override {
    if (!traits_type::eq_int_type(character, traits_type::eof()))
      text_.push_back(traits_type::to_char_type(character));
    return traits_type::not_eof(character);
  }

  std::streamsize xsputn(const char* characters, std::streamsize count) override {
    text_.append(characters, static_cast<std::size_t>(count));
    return count;
  }

  std::string& text_;
};

// Writes what the library's text archive would, but straight to the end of a text what there is
// most of: a snapshot is made after every generation. `stream` appends to the same text.
class TextOutput : public boost::archive::text_oarchive_impl<TextOutput> {
 public:
  TextOutput(std::ostream& stream, std::string& text)
      : text_oarchive_impl(stream, boost::archive::no_codecvt), text_(text) {
    init();
  }

  // Long arrays go as one text of 16 hexadecimal digits a number: exact, and many times faster
  // than the archive's own numbers.
  template <class Number>
  void save_packed(const std::vector<Number>& numbers) {
    save(std::uint64_t{numbers.size() * kNumberDigits});
    newtoken();
    constexpr std::size_t kAtOnce = 256;
    std::array<char, kAtOnce * kNumberDigits> digits;  // NOLINT(*-member-init): filled below
    for (std::size_t begin = 0; begin < numbers.size(); begin += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, numbers.size() - begin);
      for (std::size_t i = 0; i < count; ++i)
        put_digits(digits.data() + i * kNumberDigits, bits_of(numbers[begin + i]));
      text_.append(digits.data(), count * kNumberDigits);
    }
  }

 private:
  friend class boost::archive::detail::interface_oarchive<TextOutput>;
  friend class boost::archive::basic_text_oarchive<TextOutput>;
  friend class boost::archive::save_access;

  using text_oarchive_impl::save;

  void save(const std::uint64_t& number) {
    newtoken();
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text_.append(digits.data(), end.ptr);
  }

  // Between two values.
  void put(char character) { text_.push_back(character); }

  std::string& text_;
};

std::uint64_t digit_value(char c) {
  if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a' + 10);
  throw BadContent();
}

template <class Number>
std::vector<Number> unpacked(const std::string& text) {
  if (text.size() % kNumberDigits != 0) throw BadContent();
  std::vector<Number> numbers(text.size() / kNumberDigits);
  std::size_t at = 0;
  for (Number& number : numbers) {
    std::uint64_t bits = 0;
    for (std::size_t digit = 0; digit < kNumberDigits; ++digit)
      bits = (bits << 4U) | digit_value(text[at++]);
    number = number_of<Number>(bits);
  }
  return numbers;
}

template <class Archive, class Number>
void archive_packed(Archive& archive, std::vector<Number>& numbers) {
  if constexpr (Archive::is_saving::value) {
    archive.save_packed(numbers);
  } else {
    std::string text;
    archive >> text;
    numbers = unpacked<Number>(text);
  }
}

template <class Archive>
void archive_packed(Archive& archive, double& number) {
  std::vector<double> one(1, number);
  archive_packed(archive, one);
  if (one.size() != 1) throw BadContent();
  number = one.front();
}

template <class Archive>
void archive_packed(Archive& archive, std::optional<double>& number) {
  std::vector<double> some;
  if (number) some.push_back(*number);
  archive_packed(archive, some);
  if (some.size() > 1) throw BadContent();
  number = some.empty() ? std::nullopt : std::optional<double>(some.front());
}

// A count and the items, read one by one, so that a false count ends where the text ends instead of
// asking for memory.
template <class Archive, class Item>
void archive_list(Archive& archive, std::vector<Item>& items) {
  std::uint64_t count = items.size();
  archive& count;
  if constexpr (Archive::is_saving::value) {
    for (const Item& item : items)
      archive << item;
  } else {
    items.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      Item item;
      archive >> item;
      items.push_back(std::move(item));
    }
  }
}

bool has_shape(const engine::Individuals& rows) {
  const std::size_t size = rows.size();
  return rows.words_per_genome < (1U << 24U) && rows.objective_count <= engine::kMaxObjectives &&
         rows.words.size() == size * rows.words_per_genome &&
         rows.objectives.size() == size * rows.objective_count;
}

bool has_all_history(const RunSnapshot& snapshot) {
  const engine::SearchState& state = snapshot.state;
  if (snapshot.history.size() == state.generation + 1) return true;
  return is_before_the_first(snapshot) && state.generation == 0 && state.population.size() == 0 &&
         state.archive.size() == 0 && state.statistics.evaluations == 0;
}

bool is_consistent(const RunSnapshot& snapshot) {
  const engine::SearchState& state = snapshot.state;
  const std::size_t objectives = snapshot.identity.objectives.size();
  return has_shape(state.population) && has_shape(state.archive) &&
         state.ranks.size() == state.population.size() &&
         state.crowding.size() == state.population.size() &&
         state.population.objective_count == objectives &&
         state.archive.objective_count == objectives &&
         state.archive.words_per_genome == state.population.words_per_genome &&
         has_all_history(snapshot);
}

}  // namespace

}  // namespace paretrain::results

BOOST_CLASS_VERSION(paretrain::results::RunSnapshot, 3)

namespace boost::serialization {

template <class Archive>
void serialize(Archive& archive, paretrain::results::OptionValues& option, unsigned) {
  archive& option.name;
  paretrain::results::archive_list(archive, option.values);
}

template <class Archive>
void serialize(Archive& archive, paretrain::results::RunInput& input, unsigned) {
  archive& input.role& input.name& input.path& input.content;
}

template <class Archive>
void serialize(Archive& archive, paretrain::results::RunIdentity& identity, unsigned) {
  archive& identity.command& identity.program_version;
  paretrain::results::archive_list(archive, identity.options);
  paretrain::results::archive_list(archive, identity.given);
  paretrain::results::archive_list(archive, identity.inputs);
  archive& identity.problem_fingerprint& identity.space_fingerprint;
  paretrain::results::archive_list(archive, identity.objectives);
}

template <class Archive>
void serialize(Archive& archive, paretrain::engine::Individuals& rows, unsigned) {
  archive& rows.words_per_genome& rows.objective_count;
  paretrain::results::archive_packed(archive, rows.words);
  paretrain::results::archive_packed(archive, rows.objectives);
  paretrain::results::archive_packed(archive, rows.violations);
}

template <class Archive>
void serialize(Archive& archive, paretrain::engine::SearchStatistics& statistics, unsigned) {
  archive& statistics.evaluations& statistics.infeasible_evaluations& statistics.not_finite;
  archive& statistics.cache_hits& statistics.duplicates;
}

template <class Archive>
void serialize(Archive& archive, paretrain::engine::SearchState& state, unsigned) {
  archive& state.generation& state.population;
  paretrain::results::archive_packed(archive, state.ranks);
  paretrain::results::archive_packed(archive, state.crowding);
  archive& state.archive;
  paretrain::results::archive_packed(archive, state.seen.older);
  paretrain::results::archive_packed(archive, state.seen.recent);
  archive& state.statistics;
  paretrain::results::archive_packed(archive, state.best_hypervolume);
  archive& state.last_progress& state.last_addition& state.swept;
  archive& state.barren_generations& state.exhausted;
}

template <class Archive>
void serialize(Archive& archive, paretrain::engine::GenerationReport& report, unsigned) {
  archive& report.generation& report.evaluations& report.front;
  paretrain::results::archive_packed(archive, report.hypervolume);
  archive& report.infeasible;
  paretrain::results::archive_packed(archive, report.least_violation);
  paretrain::results::archive_packed(archive, report.best);
}

template <class Archive>
void serialize(Archive& archive, paretrain::results::RunSnapshot& snapshot, unsigned version) {
  archive& snapshot.identity& snapshot.state;
  paretrain::results::archive_list(archive, snapshot.history);
  if constexpr (Archive::is_loading::value) {
    std::uint64_t resumptions = 0;  // which the first version held besides
    if (version < 2) archive >> resumptions;
  }
  // Which the first two versions did not know.
  if (version >= 3) archive& snapshot.state.walked;
}

}  // namespace boost::serialization

namespace paretrain::results {

std::string snapshot_bytes(const RunSnapshot& snapshot, std::string buffer) {
  buffer.assign(kFrameHeaderBytes, '\0');
  TextBuffer text(buffer);
  std::ostream stream(&text);
  stream.exceptions(std::ios::badbit);  // what goes wrong in the buffer is thrown
  {
    TextOutput archive(stream, buffer);
    archive << snapshot;
  }
  return sealed(std::move(buffer));
}

RunSnapshot parsed_snapshot(std::string_view bytes, const std::string& where) {
  const std::string_view payload = unframed(bytes, where);
  RunSnapshot snapshot;
  try {
    std::istringstream stream{std::string(payload)};
    BoundedInput archive(stream, payload.size());
    archive >> snapshot;
  } catch (const std::exception& error) {  // what the archive library makes of bad content
    throw InputError(Problem{where, std::string("cannot be understood: ") + error.what(), ""});
  }
  if (!is_consistent(snapshot))
    throw InputError(Problem{where, "contradicts itself: sizes that belong together differ", ""});
  return snapshot;
}

}  // namespace paretrain::results
