// Any bytes as a snapshot give a snapshot or an InputError. The bytes are tried as a whole file and
// as the content of a whole frame, so that also what stands behind the checksum is reached.
#include <string>

#include "base/error.h"
#include "results/run_snapshot.h"
#include "results/snapshot_frame.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

void read(const std::string& bytes) {
  try {
    const paretrain::results::RunSnapshot snapshot =
        paretrain::results::parsed_snapshot(bytes, "snapshot");
    static_cast<void>(paretrain::results::snapshot_bytes(snapshot));
  } catch (const paretrain::InputError&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  read(text);
  read(paretrain::results::framed(text));
  return 0;
}
