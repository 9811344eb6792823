#include "problems/model_import.h"

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/input_file.h"
#include "base/printable_text.h"
#include "problems/builtin_models.h"
#include "problems/onnx_import.h"
#include "problems/onnx_model.h"
#include "problems/onnx_slim.h"

namespace paretrain::problems {

namespace {

std::string file_bytes(const std::string& path) {
  std::error_code failure;
  if (std::filesystem::status(path, failure).type() == std::filesystem::file_type::not_found)
    throw InputError(
        {path, "no such file or built-in model", "`paretrain list models` shows what is built in"});
  std::ifstream file = input_stream(path, "an ONNX model");
  std::string bytes = slim_model_bytes(file);
  if (file.bad()) throw IoError(path, "cannot be read");
  return bytes;
}

std::string stem_of(const std::string& path) {
  const std::filesystem::path file(path);
  return file.extension() == ".onnx" ? file.stem().string() : file.filename().string();
}

}  // namespace

ImportedModel imported_model_bytes(const std::string& bytes,
                                   const std::string& label,
                                   const ImportOptions& options) {
  ImportedModel model = model_of(onnx_graph(bytes, label), label, options);
  model.name = stem_of(label);
  model.graph.name = printable(model.name);  // what later messages call the model
  return model;
}

ImportedModel imported_model(const std::string& file_or_name, const ImportOptions& options) {
  std::error_code ignored;
  if (is_builtin_model(file_or_name) && !std::filesystem::exists(file_or_name, ignored)) {
    ImportOptions remaining = options;
    remaining.dimensions.clear();  // given to the model's maker
    return imported_model_bytes(
        builtin_model_bytes(file_or_name, options.dimensions), file_or_name, remaining);
  }
  return imported_model_bytes(file_bytes(file_or_name), file_or_name, options);
}

ImportOptions at_batch(ImportOptions options, const ImportedModel& model, std::int64_t batch) {
  options.batch = batch;
  options.dimensions.erase(model.batch_dimension);
  return options;
}

}  // namespace paretrain::problems
