#include "kv/value_codec.h"

// For frames without a magic number, and for dictionaries of a chosen kind.
#define ZSTD_STATIC_LINKING_ONLY
#define ZDICT_STATIC_LINKING_ONLY
#include <zdict.h>
#include <zstd.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/bytes.h"
#include "kv/value.h"

namespace kvsql::kv {
namespace {

constexpr uint64_t kMaxPlainBytes = uint64_t{1} << 30;
constexpr uint64_t kMaxDictionaryNumber = uint64_t{1} << 30;
constexpr uint64_t kPackedRow = 3;

constexpr size_t kDictionaryBytes = size_t{32} << 10;
// Of a value that is trained on; the beginnings of longer ones are as good.
constexpr size_t kMaxBytesOfSample = 4096;

// Shorter ones are not worth a compressor's time: with a dictionary, and without.
constexpr size_t kMinPlain = 24;
constexpr size_t kMinPlainAlone = 512;

// The most that a byte of a frame can stand for: a block of 128 KiB of one byte takes four.
constexpr uint64_t kMaxExpansion = 32 * 1024;

struct DecompressionContext {
  DecompressionContext() : zstd(ZSTD_createDCtx()) {
    if (zstd != nullptr) ZSTD_DCtx_setParameter(zstd, ZSTD_d_format, ZSTD_f_zstd1_magicless);
  }
  ~DecompressionContext() { ZSTD_freeDCtx(zstd); }
  ZSTD_DCtx* const zstd;
};

struct CompressionContext {
  CompressionContext() : zstd(ZSTD_createCCtx()) {
    if (zstd == nullptr) return;
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_format, ZSTD_f_zstd1_magicless);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, kCompressionLevel);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_contentSizeFlag, 1);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_dictIDFlag, 0);
  }
  ~CompressionContext() { ZSTD_freeCCtx(zstd); }
  ZSTD_CCtx* const zstd;
};

// The longest header of a frame as the compressor above writes them.
constexpr size_t kMaxFrameHeader = 10;

// The size of the plain bytes that a frame's header tells (RFC 8878); false if it is none as the compressor above
// writes them: with a content size, without dictionary id and checksum. So none is taken for one of zstd's former
// formats.
bool ReadContentSize(std::string_view frame, uint64_t* size) {
  uint8_t header[kMaxFrameHeader] = {};
  if (frame.empty()) return false;
  std::copy_n(AsBytes(frame), std::min(frame.size(), kMaxFrameHeader), header);
  if ((header[0] & 0x1f) != 0) return false;
  const bool single_segment = (header[0] & 0x20) != 0;
  // Else the size of the window comes first.
  const uint8_t* const at = header + (single_segment ? 1 : 2);
  switch (header[0] >> 6) {
    case 0:
      *size = *at;
      return single_segment;
    case 1:
      *size = LoadLe<uint16_t>(at) + uint64_t{256};
      return true;
    case 2:
      *size = LoadLe<uint32_t>(at);
      return true;
    default:
      *size = LoadLe<uint64_t>(at);
      return true;
  }
}

void AppendNumber(uint64_t value, std::string* out) {
  uint8_t buffer[kMaxVarint64Bytes];
  const uint8_t* const end = PutVarint64(buffer, value);
  out->append(reinterpret_cast<const char*>(buffer), static_cast<size_t>(end - buffer));
}

CellForm ReadPacked(uint64_t dictionary, const uint8_t* at, const uint8_t* end,
                    PackedValue* packed) {
  packed->frame = AsView(at, static_cast<size_t>(end - at));
  uint64_t size = 0;
  if (dictionary > kMaxDictionaryNumber || !ReadContentSize(packed->frame, &size) ||
      size > kMaxPlainBytes || size > packed->frame.size() * kMaxExpansion) {
    return CellForm::kDamaged;
  }
  packed->dictionary = static_cast<uint32_t>(dictionary);
  packed->size = static_cast<uint32_t>(size);
  return CellForm::kPacked;
}

}  // namespace

Status DamagedPackedValue() { return DataLoss("a compressed value is damaged"); }

bool ParseCompression(std::string_view name, Compression* out) {
  if (!EqualsIgnoreCase(name, "zstd")) return false;
  *out = Compression::kZstd;
  return true;
}

StatusOr<std::shared_ptr<const Dictionary>> Dictionary::Make(uint32_t number,
                                                             std::string_view bytes) {
  std::shared_ptr<Dictionary> made(new Dictionary(number));
  // Only bytes that begin like a dictionary are one; of others zstd would make a mere prefix.
  if (bytes.size() <= kMaxDictionaryBytes && ZSTD_getDictID_fromDict(bytes.data(), bytes.size())) {
    made->for_reading_ = ZSTD_createDDict(bytes.data(), bytes.size());
  }
  if (made->for_reading_ == nullptr) {
    return DataLoss("catalog: compression dictionary ", number, " is damaged");
  }
  made->bytes_ = bytes;
  return std::shared_ptr<const Dictionary>(std::move(made));
}

Dictionary::~Dictionary() {
  ZSTD_freeDDict(for_reading_);
  ZSTD_freeCDict(for_writing_);
}

const ZSTD_CDict_s* Dictionary::for_writing() const {
  std::call_once(made_for_writing_, [this] {
    for_writing_ = ZSTD_createCDict(bytes_.data(), bytes_.size(), kCompressionLevel);
    bytes_ = std::string();
  });
  return for_writing_;
}

void Samples::Add(std::string_view value) {
  value = value.substr(0, kMaxBytesOfSample);
  bytes.append(value);
  sizes.push_back(value.size());
}

std::optional<std::string> MakeDictionary(const Samples& samples) {
  std::string bytes(kDictionaryBytes, '\0');
  // Segments of 200 bytes, found by the eight bytes that they have in common: the smallest cells and the fastest
  // reading, on JSON with random letters and with words alike.
  ZDICT_fastCover_params_t parameters{};
  parameters.k = 200;
  parameters.d = 8;
  parameters.f = 18;
  parameters.accel = 1;
  parameters.zParams.compressionLevel = kCompressionLevel;
  const size_t size = ZDICT_trainFromBuffer_fastCover(
      bytes.data(), bytes.size(), samples.bytes.data(), samples.sizes.data(),
      static_cast<unsigned>(samples.sizes.size()), parameters);
  if (ZDICT_isError(size) != 0) return std::nullopt;
  bytes.resize(size);
  return bytes;
}

CellForm ReadRowCell(std::string_view cell, PackedValue* packed) {
  const uint8_t* const begin = AsBytes(cell);
  const uint8_t* const end = begin + cell.size();
  uint64_t header = 0;
  const uint8_t* const at = GetVarint64(begin, end, &header);
  if (at == nullptr || header % 4 != kPackedRow) return CellForm::kPlain;
  return ReadPacked(header / 4, at, end, packed);
}

CellForm ReadValueCell(std::string_view cell, std::string_view* plain, PackedValue* packed) {
  const uint8_t* const begin = AsBytes(cell);
  const uint8_t* const end = begin + cell.size();
  uint64_t header = 0;
  const uint8_t* const at = GetVarint64(begin, end, &header);
  if (at == nullptr) return CellForm::kDamaged;
  if (header == 0) {
    *plain = AsView(at, static_cast<size_t>(end - at));
    return CellForm::kPlain;
  }
  return ReadPacked(header - 1, at, end, packed);
}

const Dictionary* ValueCodec::Find(uint32_t number) const {
  for (size_t i = dictionaries_.size(); i-- > 0;) {
    if (dictionaries_[i]->number() == number) return dictionaries_[i].get();
  }
  return nullptr;
}

bool ValueCodec::AppendPacked(std::string_view plain, std::string* out) const {
  thread_local CompressionContext context;
  if (context.zstd == nullptr || plain.size() > kMaxPlainBytes) return false;
  const Dictionary* const dictionary = current();
  if (plain.size() < (dictionary == nullptr ? kMinPlainAlone : kMinPlain)) return false;
  const ZSTD_CDict* const cdict = dictionary == nullptr ? nullptr : dictionary->for_writing();
  if (dictionary != nullptr && cdict == nullptr) return false;
  const size_t before = out->size();
  // Reading costs time: a sixteenth at least must be saved.
  const size_t most = plain.size() - plain.size() / 16;
  if (before >= most) return false;
  out->resize(most);
  // A value that did not fit has left the context in the middle of a frame.
  ZSTD_CCtx_reset(context.zstd, ZSTD_reset_session_only);
  if (ZSTD_isError(ZSTD_CCtx_refCDict(context.zstd, cdict)) != 0) return false;
  const size_t size =
      ZSTD_compress2(context.zstd, out->data() + before, most - before, plain.data(), plain.size());
  if (ZSTD_isError(size) != 0) return false;
  out->resize(before + size);
  return true;
}

bool ValueCodec::PackRow(std::string_view row, std::string* out) const {
  out->clear();
  const Dictionary* const dictionary = current();
  AppendNumber(uint64_t{dictionary == nullptr ? 0 : dictionary->number()} * 4 + kPackedRow, out);
  return AppendPacked(row, out);
}

void ValueCodec::PackValue(std::string_view value, std::string* out) const {
  out->clear();
  const Dictionary* const dictionary = current();
  AppendNumber(uint64_t{dictionary == nullptr ? 0 : dictionary->number()} + 1, out);
  if (AppendPacked(value, out)) return;
  out->assign(1, '\0');
  out->append(value);
}

bool ValueCodec::Unpack(const PackedValue& packed, char* to) const {
  thread_local DecompressionContext context;
  if (context.zstd == nullptr) [[unlikely]]
    return false;
  const ZSTD_DDict* for_reading = nullptr;
  if (packed.dictionary != 0) [[likely]] {
    const Dictionary* const dictionary = Find(packed.dictionary);
    if (dictionary == nullptr) [[unlikely]]
      return false;
    for_reading = dictionary->for_reading();
  }
  const size_t size = ZSTD_decompress_usingDDict(context.zstd, to, packed.size, packed.frame.data(),
                                                 packed.frame.size(), for_reading);
  return size == packed.size;
}

StatusOr<btree::LargeValue> ValueCodec::UnpackOwned(const PackedValue& packed) const {
  // One byte at least, so that there is something to own.
  std::unique_ptr<char[]> bytes(new (std::nothrow) char[std::max<size_t>(packed.size, 1)]);
  if (bytes == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a compressed value of ", packed.size, " bytes"));
  }
  if (!Unpack(packed, bytes.get())) return DamagedPackedValue();
  return btree::LargeValue(std::move(bytes), packed.size);
}

StatusOr<btree::LargeValue> ValueCodec::ReadValue(btree::LargeValue cell) const {
  std::string_view plain;
  PackedValue packed;
  switch (ReadValueCell(cell.view(), &plain, &packed)) {
    case CellForm::kPlain:
      cell.RemovePrefix(cell.view().size() - plain.size());
      return cell;
    case CellForm::kPacked:
      return UnpackOwned(packed);
    case CellForm::kDamaged:
      break;
  }
  return DamagedPackedValue();
}

}  // namespace kvsql::kv
