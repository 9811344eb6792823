#include "cli/list.h"

#include <filesystem>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/printable_text.h"
#include "cli/command.h"
#include "cli/help.h"
#include "problems/accelerator_file.h"
#include "problems/builtin_accelerators.h"
#include "problems/builtin_models.h"
#include "results/atomic_file.h"
#include "results/json_text.h"

namespace paretrain::cli {

namespace {

struct Entry {
  std::string name;
  std::string summary;
};

std::vector<Entry> models() {
  std::vector<Entry> entries;
  for (const problems::BuiltinModel& model : problems::builtin_models())
    entries.push_back({std::string(model.name), std::string(model.summary)});
  return entries;
}

std::vector<Entry> accelerators() {
  std::vector<Entry> entries;
  for (const problems::BuiltinAccelerator& accelerator : problems::builtin_accelerators()) {
    entries.push_back({std::string(accelerator.name),
                       std::string(accelerator.summary) +
                           (accelerator.validated ? "" : " (unvalidated: from public figures)")});
  }
  return entries;
}

std::string list_text(const std::string& title, const std::vector<Entry>& entries) {
  constexpr std::size_t kColumn = 24;
  constexpr std::size_t kWidth = 80;
  std::string text = title + ":\n";
  for (const Entry& entry : entries) {
    std::string head = "  " + entry.name;
    head.resize(std::max(head.size() + 2, kColumn), ' ');
    text += head + wrapped_text(entry.summary, kColumn, kWidth) + '\n';
  }
  return text;
}

std::string list_json(const std::vector<Entry>& entries) {
  std::string text = "[";
  for (const Entry& entry : entries) {
    if (text.size() > 1) text += ", ";
    text += "{\"name\": " + results::json_string(entry.name) +
            ", \"summary\": " + results::json_string(entry.summary) + "}";
  }
  return text + "]";
}

[[noreturn]] void fail_unknown(const std::string& name, const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries)
    names.push_back(entry.name);
  const auto near = nearest_name(name, names);
  throw InputError(Problem{"--write",
                           "nothing built in is called '" + printable(name) + "'",
                           near ? "did you mean " + *near + "?" : "`paretrain list` names all"});
}

std::string content_of(const std::string& kind, const std::string& name) {
  if (kind == "models") {
    if (!problems::is_builtin_model(name)) fail_unknown(name, models());
    return problems::builtin_model_bytes(name, {});
  }
  const auto accelerator = problems::builtin_accelerator(name);
  if (!accelerator) fail_unknown(name, accelerators());
  return problems::accelerator_text(*accelerator);
}

int write_one(const Options& options, const std::string& kind, Terminal& terminal) {
  const std::string name = options.text("write");
  if (kind.empty()) {
    throw InputError(
        Problem{"--write",
                "needs to know of what: `paretrain list models` or `paretrain list accelerators`",
                ""});
  }
  const std::string suffix = kind == "models" ? ".onnx" : ".yaml";
  const std::string file = options.optional_text("output").value_or(name + suffix);
  const std::string content = content_of(kind, name);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored) && !options.flag("force"))
    throw InputError(Problem{file, "exists already", "--force replaces it"});
  results::write_atomically(file, content);
  terminal.message("wrote " + file);
  return kDone;
}

}  // namespace

CommandSyntax list_syntax() {
  return {.name = "list",
          .usage = "list [models|accelerators] [--write NAME -o FILE]",
          .description =
              "Lists the models and accelerators that are built in, or writes one of them "
              "to a file: models as ONNX, accelerators as YAML.",
          .positionals = {{"KIND", "models or accelerators; both when not given", false}},
          .groups = {{"Write",
                      {{"write", "NAME", AnyText{}, "write this one"},
                       {"output",
                        "FILE",
                        AnyText{},
                        "file to write; default: NAME.onnx or NAME.yaml",
                        "",
                        false,
                        "o"},
                       {"force", "", Flag{}, "replace an existing file"}}},
                     output_option_group()},
          .examples = {"paretrain list accelerators",
                       "paretrain list models --write resnet18 -o resnet18.onnx"}};
}

int run_list(const Options& options, Terminal& terminal) {
  const std::string kind = options.has_positional("KIND") ? options.positional("KIND") : "";
  if (!kind.empty() && kind != "models" && kind != "accelerators") {
    throw InputError(
        Problem{"paretrain list",
                "'" + printable(kind) + "' is no kind; expected models or accelerators",
                ""});
  }
  if (options.has("write")) return write_one(options, kind, terminal);
  const bool with_models = kind != "accelerators";
  const bool with_accelerators = kind != "models";
  std::string text;
  if (options.flag("json")) {
    text = "{\"schema\": \"paretrain-list-1\"";
    if (with_models) text += ",\n \"models\": " + list_json(models());
    if (with_accelerators) text += ",\n \"accelerators\": " + list_json(accelerators());
    text += "}\n";
  } else {
    if (with_models) text += list_text("models", models());
    if (with_models && with_accelerators) text += '\n';
    if (with_accelerators) text += list_text("accelerators", accelerators());
  }
  terminal.data(text);
  return kDone;
}

}  // namespace paretrain::cli
