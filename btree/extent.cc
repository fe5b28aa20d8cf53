#include "btree/extent.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "base/bytes.h"
#include "base/hash.h"
#include "btree/node.h"

namespace kvsql::btree {
namespace {

// Values below this are not worth a compressor's time.
constexpr size_t kMinCompressed = 1024;

constexpr uint64_t Align8(uint64_t size) { return (size + 7) & ~uint64_t{7}; }

uint64_t ChunksOf(uint64_t stored) { return (stored + kExtentHashChunk - 1) / kExtentHashChunk; }

// Bytes of the extent, trailer included.
uint64_t ExtentBytes(uint64_t stored) {
  const uint64_t chunks = ChunksOf(stored);
  return chunks > 1 ? Align8(stored) + chunks * sizeof(uint64_t) : stored;
}

// The seed ties a chunk to its place, so that chunks of one value cannot be swapped unnoticed.
uint64_t ChunkHash(const uint8_t* stored, uint64_t size, uint64_t chunk, uint64_t birth) {
  const uint64_t offset = chunk * kExtentHashChunk;
  return Hash64(stored + offset, std::min<uint64_t>(kExtentHashChunk, size - offset),
                birth + chunk);
}

uint64_t TrailerHash(const uint8_t* trailer, uint64_t chunks, uint64_t birth) {
  return Hash64(trailer, chunks * sizeof(uint64_t), ~birth);
}

bool Verify(const uint8_t* bytes, uint64_t size, const ExtentDescriptor& descriptor) {
  const uint64_t stored = descriptor.stored;
  if (size < ExtentBytes(stored)) return false;
  const uint64_t chunks = ChunksOf(stored);
  if (chunks <= 1) return ChunkHash(bytes, stored, 0, descriptor.birth) == descriptor.hash;
  const uint8_t* trailer = bytes + Align8(stored);
  if (TrailerHash(trailer, chunks, descriptor.birth) != descriptor.hash) return false;
  for (uint64_t i = 0; i < chunks; ++i) {
    if (ChunkHash(bytes, stored, i, descriptor.birth) !=
        LoadLe<uint64_t>(trailer + i * sizeof(uint64_t))) {
      return false;
    }
  }
  return true;
}

bool VerifyRun(const uint8_t* bytes, uint64_t size, const void* context) {
  return Verify(bytes, size, *static_cast<const ExtentDescriptor*>(context));
}

Status BadExtent(const ExtentDescriptor& descriptor, pager::PageRun run, std::string_view what) {
  return DataLoss("large value of ", descriptor.length, " bytes in pages ", run.first, "+",
                  run.pages, ", born in transaction ", descriptor.birth, ": ", std::string(what));
}

StatusOr<std::unique_ptr<char[]>> NewBuffer(uint64_t size) {
  std::unique_ptr<char[]> buffer(new (std::nothrow) char[size]);
  if (buffer == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("no memory for a large value of ", size, " bytes"));
  }
  return buffer;
}

StatusOr<LargeValue> Decompress(const ExtentDescriptor& descriptor, const uint8_t* stored,
                                pager::PageRun run) {
  KV_ASSIGN_OR_RETURN(std::unique_ptr<char[]> buffer, NewBuffer(descriptor.length));
  const size_t size = ZSTD_decompress(buffer.get(), descriptor.length, stored, descriptor.stored);
  if (ZSTD_isError(size) != 0 || size != descriptor.length) {
    return BadExtent(descriptor, run, "does not decompress to its length");
  }
  return LargeValue(std::move(buffer), descriptor.length);
}

}  // namespace

pager::PageRun DescriptorRun(const uint8_t* descriptor, uint32_t index) {
  const uint8_t* at = descriptor + sizeof(ExtentDescriptor) + index * kRunBytes;
  return {.first = LoadLe<uint32_t>(at), .pages = LoadLe<uint32_t>(at + 4)};
}

bool ValidDescriptor(const uint8_t* at, const uint8_t* end, uint32_t page_size) {
  if (end - at < static_cast<ptrdiff_t>(sizeof(ExtentDescriptor))) return false;
  const auto descriptor = LoadLe<ExtentDescriptor>(at);
  if (descriptor.runs == 0 || descriptor.runs > kMaxExtentRuns) return false;
  if (end - at < static_cast<ptrdiff_t>(DescriptorSize(at))) return false;
  if (descriptor.dictionary != 0 || descriptor.reserved != 0) return false;
  if (descriptor.codec > static_cast<uint8_t>(ExtentCodec::kZstd)) return false;
  if (descriptor.length > kMaxValueSize || descriptor.length == 0) return false;
  if (descriptor.stored > descriptor.length || descriptor.stored == 0) return false;
  if (descriptor.codec == static_cast<uint8_t>(ExtentCodec::kRaw) &&
      descriptor.stored != descriptor.length) {
    return false;
  }
  uint64_t pages = 0;
  for (uint32_t i = 0; i < descriptor.runs; ++i) {
    const pager::PageRun run = DescriptorRun(at, i);
    if (run.first == pager::kNoPage || run.pages == 0) return false;
    pages += run.pages;
  }
  return pages == (ExtentBytes(descriptor.stored) + page_size - 1) / page_size;
}

StatusOr<DescriptorBytes> WriteExtent(pager::PageWriter* pages, std::string_view value,
                                      int compression_level) {
  ExtentDescriptor descriptor{};
  descriptor.birth = pages->txid();
  descriptor.length = static_cast<uint32_t>(value.size());
  descriptor.codec = static_cast<uint8_t>(ExtentCodec::kRaw);

  std::string_view stored = value;
  std::unique_ptr<char[]> compressed;
  const uint64_t page_size = pages->page_size();
  if (compression_level != 0 && value.size() >= kMinCompressed) {
    const size_t bound = ZSTD_compressBound(value.size());
    KV_ASSIGN_OR_RETURN(compressed, NewBuffer(bound));
    const size_t size =
        ZSTD_compress(compressed.get(), bound, value.data(), value.size(), compression_level);
    const auto pages_of = [page_size](uint64_t bytes) {
      return (ExtentBytes(bytes) + page_size - 1) / page_size;
    };
    if (ZSTD_isError(size) == 0 && pages_of(size) < pages_of(value.size())) {
      stored = {compressed.get(), size};
      descriptor.codec = static_cast<uint8_t>(ExtentCodec::kZstd);
    }
  }
  descriptor.stored = static_cast<uint32_t>(stored.size());

  const uint8_t* bytes = AsBytes(stored);
  const uint64_t chunks = ChunksOf(stored.size());
  std::vector<uint64_t> trailer;
  static constexpr uint8_t kZeros[8] = {};
  std::vector<pager::Bytes> pieces = {pager::Bytes(bytes, stored.size())};
  if (chunks > 1) {
    trailer.resize(chunks);
    for (uint64_t i = 0; i < chunks; ++i) {
      trailer[i] = ChunkHash(bytes, stored.size(), i, descriptor.birth);
    }
    const auto* trailer_bytes = reinterpret_cast<const uint8_t*>(trailer.data());
    descriptor.hash = TrailerHash(trailer_bytes, chunks, descriptor.birth);
    const size_t padding = Align8(stored.size()) - stored.size();
    if (padding != 0) pieces.emplace_back(kZeros, padding);
    pieces.emplace_back(trailer_bytes, chunks * sizeof(uint64_t));
  } else {
    descriptor.hash = ChunkHash(bytes, stored.size(), 0, descriptor.birth);
  }
  KV_ASSIGN_OR_RETURN(const std::vector<pager::PageRun> runs,
                      pages->WriteExtent(pieces, kMaxExtentRuns));
  descriptor.runs = static_cast<uint8_t>(runs.size());

  DescriptorBytes out;
  StoreLe(out.bytes, descriptor);
  out.size = sizeof(descriptor);
  for (const pager::PageRun& run : runs) {
    StoreLe<uint32_t>(out.bytes + out.size, run.first);
    StoreLe<uint32_t>(out.bytes + out.size + 4, run.pages);
    out.size += kRunBytes;
  }
  return out;
}

StatusOr<LargeValue> ReadExtent(const pager::PageReader& pages, const uint8_t* at) {
  const auto descriptor = LoadLe<ExtentDescriptor>(at);
  const pager::PageRun first = DescriptorRun(at, 0);
  if (descriptor.birth > pages.txid()) {
    return BadExtent(descriptor, first, "was born after the snapshot");
  }
  const bool raw = descriptor.codec == static_cast<uint8_t>(ExtentCodec::kRaw);
  if (descriptor.runs == 1) {
    const uint8_t* bytes = pages.FetchRun(first, VerifyRun, &descriptor);
    if (bytes == nullptr) {
      return BadExtent(descriptor, first, "lies outside the file, or its hash does not match");
    }
    if (!raw) return Decompress(descriptor, bytes, first);
    return LargeValue(AsView(bytes, descriptor.length));
  }
  const uint64_t total = ExtentBytes(descriptor.stored);
  KV_ASSIGN_OR_RETURN(std::unique_ptr<char[]> buffer, NewBuffer(total));
  uint64_t filled = 0;
  for (uint32_t i = 0; i < descriptor.runs; ++i) {
    const pager::PageRun run = DescriptorRun(at, i);
    const uint8_t* bytes = pages.FetchRun(run, nullptr, nullptr);
    if (bytes == nullptr) return BadExtent(descriptor, run, "lies outside the file");
    const uint64_t size =
        std::min<uint64_t>(uint64_t{run.pages} * pages.page_size(), total - filled);
    std::memcpy(buffer.get() + filled, bytes, size);
    filled += size;
  }
  const auto* stored = reinterpret_cast<const uint8_t*>(buffer.get());
  if (filled < total || !Verify(stored, filled, descriptor)) {
    return BadExtent(descriptor, first, "its hash does not match");
  }
  if (!raw) return Decompress(descriptor, stored, first);
  return LargeValue(std::move(buffer), descriptor.length);
}

void FreeExtent(pager::PageWriter* pages, const uint8_t* at) {
  const auto descriptor = LoadLe<ExtentDescriptor>(at);
  for (uint32_t i = 0; i < descriptor.runs; ++i) {
    pages->FreeRun(DescriptorRun(at, i), descriptor.birth);
  }
}

uint64_t LargeSize(ValueRef ref) { return LoadLe<ExtentDescriptor>(ref.data).length; }

StatusOr<LargeValue> ReadLarge(const pager::PageReader& pages, ValueRef ref) {
  return ReadExtent(pages, ref.data);
}

StatusOr<LargeValue> ReadValue(const pager::PageReader& pages, ValueRef ref) {
  if (!ref.is_large) return LargeValue(ref.view());
  return ReadExtent(pages, ref.data);
}

}  // namespace kvsql::btree
