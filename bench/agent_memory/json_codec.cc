#include "bench/agent_memory/json_codec.h"

#include <simdjson.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "bench/fatal.h"

namespace kvsql::bench::agent_memory {

static_assert(ValueBuffer::kPadding >= simdjson::SIMDJSON_PADDING);

struct JsonCodec::Parser {
  simdjson::ondemand::parser parser;
};

JsonCodec::JsonCodec() : parser_(std::make_unique<Parser>()) {}
JsonCodec::~JsonCodec() = default;

void JsonCodec::Encode(const Memory& memory, std::string* json) {
  nlohmann::ordered_json object;
  object["id"] = memory.id;
  object["agent"] = memory.agent;
  object["sequence"] = memory.sequence;
  object["revision"] = memory.revision;
  object["text"] = memory.text;
  *json = object.dump();
}

void JsonCodec::Decode(const ValueBuffer& value, Memory* memory) {
  simdjson::ondemand::document document;
  std::string_view text;
  simdjson::error_code error =
      parser_->parser.iterate(value.bytes, value.size, sizeof(value.bytes)).get(document);
  if (!error) error = document["id"].get(memory->id);
  if (!error) error = document["agent"].get(memory->agent);
  if (!error) error = document["sequence"].get(memory->sequence);
  if (!error) error = document["revision"].get(memory->revision);
  if (!error) error = document["text"].get(text);
  if (error) Fatal(absl::StrCat("a value is not a memory: ", simdjson::error_message(error)));
  memory->text.assign(text);
}

}  // namespace kvsql::bench::agent_memory
