// SPDX-License-Identifier: Apache-2.0
#ifndef DPLDA_IO_DETAIL_PACKED_CORPUS_IPP
#define DPLDA_IO_DETAIL_PACKED_CORPUS_IPP

// Bodies of io/packed_corpus.hpp.

#include <dplda/core/errors.hpp>
#include <dplda/io/detail/byte_range.hpp>
#include <dplda/io/detail/mapped_file.hpp>
#include <dplda/io/files.hpp>
#include <dplda/io/json.hpp>
#include <dplda/io/labels.hpp>
#include <dplda/io/model_folder.hpp>
#include <dplda/io/npy.hpp>
#include <dplda/io/packed_corpus.hpp>
#include <dplda/io/sha256.hpp>
#include <dplda/io/vocabulary.hpp>
#include <dplda/io/whole_files.hpp>
#include <dplda/version.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace dplda::inline v0_1 {

namespace detail {

inline constexpr std::string_view corpus_format = "dplda corpus";
inline constexpr int corpus_format_version = 1;

/// The files of a corpus beside corpus.json; those after the first four may be missing.
inline constexpr const char* corpus_files[] = {"offsets.npy", "words.npy", "counts.npy", "vocabulary.txt", "ids.npy",
                                               "users.npy",   "users.txt", "groups.npy", "groups.txt",     "dates.npy"};

inline constexpr std::pair<pruning, const char*> named_prunings[] = {
    {pruning::none, "none"}, {pruning::by_list, "by_list"}, {pruning::unknown, "unknown"}, {pruning::pruned, "pruned"}};

class mapped_place final : public byte_place {
 public:
  explicit mapped_place(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::unique_ptr<byte_store> make() const override { return std::make_unique<file_store>(folder_); }

 private:
  std::filesystem::path folder_;
};

/// The members of corpus.json.
class corpus_record {
 public:
  explicit corpus_record(const std::filesystem::path& folder)
      : name_((folder / "corpus.json").string()),
        record_(json_value::parse(read_bytes(folder / "corpus.json"), name_)) {
    const auto* const members = record_.get_if<json_value::object>();
    if (members == nullptr || word("format") != corpus_format) refuse(text("the format \"", corpus_format, '"'));
    if (const std::uint64_t found = number("format_version"); found != corpus_format_version)
      refuse(text("format version ", corpus_format_version, ", found ", found));
    if (word("checksum") != model_checksum(*members)) refuse("a text that matches its checksum");
    std::size_t known = 0;
    for (const char* const file : corpus_files) known += lists(file);
    const bool complete = std::all_of(corpus_files, corpus_files + 4, [&](const char* file) { return lists(file); });
    if (!complete || known != digests().size()) refuse("the files of a corpus, and no other, in \"sha256\"");
  }

  [[noreturn]] void refuse(const std::string& expected) const { throw parse_error(name_, 0, "expected " + expected); }

  std::uint64_t number(const char* key) const {
    const json_value* const value = record_.find(key);
    const double* const found = value == nullptr ? nullptr : value->get_if<double>();
    if (found == nullptr || !(*found >= 0 && *found <= 0x1p53) || *found != std::floor(*found))
      refuse(text("a whole number as \"", key, '"'));
    return static_cast<std::uint64_t>(*found);
  }

  std::string word(const char* key) const {
    const json_value* const value = record_.find(key);
    const std::string* const found = value == nullptr ? nullptr : value->get_if<std::string>();
    if (found == nullptr) refuse(text("text as \"", key, '"'));
    return *found;
  }

  /// The files and their SHA-256.
  const json_value::object& digests() const {
    const json_value* const found = record_.find("sha256");
    const auto* const files = found == nullptr ? nullptr : found->get_if<json_value::object>();
    if (files == nullptr) refuse("an object as \"sha256\"");
    return *files;
  }
  bool lists(std::string_view file) const {
    return std::ranges::count(digests(), file, &json_value::member::first) > 0;
  }

  /// How the documents were read; empty if it is not told.
  json_value::object settings() const {
    const json_value* const found = record_.find("settings");
    if (found == nullptr) return {};
    const auto* const members = found->get_if<json_value::object>();
    if (members == nullptr) refuse("an object as \"settings\"");
    return *members;
  }

  pruning pruned() const {
    const std::string found = word("pruning");
    for (const auto& [state, name] : named_prunings) {
      if (found == name) return state;
    }
    refuse("\"none\", \"by_list\", \"unknown\" or \"pruned\" as \"pruning\"");
  }

  word_origin origin() const {
    try {
      return origin_of(word("word_origin"));
    } catch (const std::invalid_argument&) {
      refuse("\"documents\", \"public\" or \"released\" as \"word_origin\"");
    }
  }

 private:
  std::string name_;
  json_value record_;
};

/// A date as the number yyyymmdd.
inline std::uint32_t number_of(const calendar_date& date) {
  return static_cast<std::uint32_t>(date.year) * 10'000 + date.month * 100 + date.day;
}

/// The date of such a number; nothing for others.
inline std::optional<calendar_date> date_of_number(std::uint32_t number) {
  const calendar_date date{static_cast<int>(number / 10'000), number / 100 % 100, number % 100};
  if (date == calendar_date{} || parse_date(to_string(date)) == date) return date;
  return std::nullopt;
}

/// Maps an array of `size` numbers.
template <class T>
std::pair<std::shared_ptr<const mapped_file>, std::span<const T>> map_array(const std::filesystem::path& path,
                                                                            std::uint64_t size) {
  auto file = std::make_shared<const mapped_file>(path);
  const std::uint64_t found = file->bytes().size();
  constexpr std::size_t longest_header = 10 + 0xFFFF;
  std::istringstream start(
      std::string(reinterpret_cast<const char*>(file->bytes().data()), std::min(file->bytes().size(), longest_header)));
  const npy_header header = read_npy_header(start, path.string());
  const auto begin = static_cast<std::uint64_t>(std::streamoff(start.tellg()));
  if (header.type != npy_type<T> || header.dimensions != 1 || header.rows != size)
    throw parse_error(path.string(), 0,
                      text("expected an array of ", size, " numbers of type ", npy_type<T>, ", found ", header.rows,
                           " of type ", header.type));
  if (found < begin || (found - begin) / sizeof(T) != size || (found - begin) % sizeof(T) != 0 ||
      begin % alignof(T) != 0)
    throw parse_error(path.string(), 0,
                      text("expected ", size, " numbers of ", sizeof(T), " bytes after the header, found ",
                           found - std::min(found, begin), " bytes"));
  const auto* const numbers = reinterpret_cast<const T*>(file->bytes().data() + begin);
  return {std::move(file), std::span<const T>(numbers, static_cast<std::size_t>(size))};
}

}  // namespace detail

DPLDA_INLINE corpus_storage mapped_storage(const std::filesystem::path& folder) {
  return corpus_storage(std::make_shared<const detail::mapped_place>(folder));
}

DPLDA_INLINE bool is_packed_corpus(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(folder / "corpus.json", ignored);
}

DPLDA_INLINE void save_corpus(const std::filesystem::path& folder, const corpus& docs,
                              const save_corpus_options& options) {
  save_corpus(folder, labelled_corpus{.docs = docs}, options);
}

DPLDA_INLINE void save_corpus(const std::filesystem::path& folder, const labelled_corpus& found,
                              const save_corpus_options& options) {
  const corpus& docs = found.docs;
  const auto check_size = [&](const char* what, std::size_t size) {
    detail::require(size == 0 || size == docs.size(), "save_corpus", what, size,
                    detail::text("must be the number of documents, ", docs.size()));
  };
  check_size("the number of groups", found.groups.size());
  check_size("the number of dates", found.dates.size());
  const std::filesystem::path target = detail::without_slash(folder);
  detail::check_replaceable(target, options.overwrite,
                            {"offsets.npy", "words.npy", "counts.npy", "ids.npy", "users.npy", "users.txt",
                             "groups.npy", "groups.txt", "dates.npy", "vocabulary.txt", "corpus.json"});
  const auto fill = [&](const std::filesystem::path& fresh) {
    std::filesystem::permissions(fresh, std::filesystem::perms::owner_all);
    json_value::object digests;
    const auto add_digest = [&](const char* name) {
      auto file = open_to_read(fresh / name);
      digests.emplace_back(name, sha256_hex(file));
    };
    // Writes what put(d) gives for each document d.
    const auto write_array = [&]<class T>(const char* name, std::size_t size, std::span<const T> first,
                                          const auto& put) {
      write_file(fresh / name, [&](std::ostream& out) {
        out << detail::npy_start(detail::npy_type<T>, detail::text('(', size, ",)"));
        const auto write = [&](std::span<const T> numbers) {
          out.write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size_bytes()));
        };
        write(first);
        for (std::size_t d = 0; d < docs.size() && out; ++d) {
          const auto numbers = put(d);
          if constexpr (std::is_same_v<decltype(numbers), const T>) {
            write({&numbers, 1});
          } else {
            write(numbers);
          }
        }
      });
      add_digest(name);
    };
    const std::uint64_t zero = 0;
    write_array("offsets.npy", docs.size() + 1, std::span(&zero, 1),
                [&](std::size_t d) { return std::uint64_t{docs.entry_begin(d + 1)}; });
    write_array("words.npy", docs.entries(), std::span<const word_id>(), [&](std::size_t d) { return docs[d].words; });
    write_array("counts.npy", docs.entries(), std::span<const std::uint32_t>(),
                [&](std::size_t d) { return docs[d].counts; });
    bool positions = true;
    for (std::size_t d = 0; d < docs.size(); ++d) positions = positions && docs.id(d) == d;
    if (!positions)
      write_array("ids.npy", docs.size(), std::span<const std::uint64_t>(), [&](std::size_t d) { return docs.id(d); });
    if (docs.has_users())
      write_array("users.npy", docs.size(), std::span<const user_id>(), [&](std::size_t d) { return docs.user(d); });
    const auto write_names = [&](const char* name, const vocabulary& names) {
      write_vocabulary(fresh / name, names);
      add_digest(name);
    };
    if (docs.has_users() && found.users->size() > 0) write_names("users.txt", *found.users);
    if (found.groups.size() > 0) {
      write_array("groups.npy", docs.size(), std::span<const std::uint32_t>(),
                  [&](std::size_t d) { return std::uint32_t{found.groups.of_document[d]}; });
      write_names("groups.txt", *found.groups.labels);
    }
    if (!found.dates.empty())
      write_array("dates.npy", docs.size(), std::span<const std::uint32_t>(),
                  [&](std::size_t d) { return detail::number_of(found.dates[d]); });
    write_names("vocabulary.txt", *docs.vocab());

    json_value::object members = {{"format", detail::corpus_format},
                                  {"format_version", detail::corpus_format_version},
                                  {"library_version", version_string},
                                  {"documents", docs.size()},
                                  {"entries", docs.entries()},
                                  {"tokens", docs.tokens()},
                                  {"words", docs.words()}};
    if (docs.has_users()) members.emplace_back("users", docs.users());
    members.emplace_back(
        "pruning",
        std::ranges::find(detail::named_prunings, docs.pruning(), &std::pair<pruning, const char*>::first)->second);
    members.emplace_back("word_origin", detail::name_of(docs.vocab()->origin()));
    if (!options.settings.empty()) members.emplace_back("settings", options.settings);
    members.emplace_back("sha256", std::move(digests));
    members.emplace_back("checksum", detail::model_checksum(members));
    write_file(fresh / "corpus.json",
               [&](std::ostream& out) { out << json_value(std::move(members)).dump(2) << '\n'; });
    for (const auto& file : std::filesystem::directory_iterator(fresh))
      std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  };
  write_whole_folder(target, fill, options.before_commit);
}

DPLDA_INLINE corpus open_corpus(const std::filesystem::path& folder, const std::filesystem::path& scratch) {
  return open_corpus_part(folder, {}, scratch).found.docs;
}

DPLDA_INLINE corpus_part open_corpus_part(const std::filesystem::path& folder, const input_part& part,
                                          const std::filesystem::path& scratch) {
  detail::check_part(part);
  const detail::corpus_record record(folder);
  const std::uint64_t documents = record.number("documents"), entries = record.number("entries");
  vocabulary_ptr words = read_vocabulary(folder / "vocabulary.txt");
  if (words->size() != record.number("words"))
    record.refuse(detail::text(words->size(), " words, as in vocabulary.txt"));

  // The parts of an owner that are alive together.
  auto files = std::make_shared<std::vector<std::shared_ptr<const detail::mapped_file>>>();
  const auto map = [&]<class T>(const char* name, std::uint64_t size, std::span<const T>& array) {
    auto [file, numbers] = detail::map_array<T>(folder / name, size);
    files->push_back(std::move(file));
    array = numbers;
  };
  detail::packed_arrays arrays;
  map("offsets.npy", documents + 1, arrays.offsets);
  map("words.npy", entries, arrays.words);
  map("counts.npy", entries, arrays.counts);
  if (record.lists("ids.npy")) map("ids.npy", documents, arrays.ids);
  if (record.lists("users.npy")) {
    map("users.npy", documents, arrays.users);
    const std::uint64_t owners = record.number("users");
    if (owners > std::uint64_t{1} << 32) record.refuse("at most 2^32 users");
    arrays.user_count = static_cast<std::size_t>(owners);
  }
  if (arrays.offsets.front() != 0 || arrays.offsets.back() != entries ||
      !std::is_sorted(arrays.offsets.begin(), arrays.offsets.end()))
    throw parse_error((folder / "offsets.npy").string(), 0,
                      detail::text("expected numbers that ascend from 0 to ", entries, "; the file is damaged"));
  const auto known = [&](user_id user) { return user < arrays.user_count; };
  if (!std::all_of(arrays.users.begin(), arrays.users.end(), known))
    throw parse_error((folder / "users.npy").string(), 0,
                      detail::text("expected users below ", arrays.user_count, "; the file is damaged"));
  arrays.tokens = record.number("tokens");
  arrays.owner = std::move(files);
  arrays.name = folder.string();

  // An empty document counts as an entry, so that they are shared out as well.
  const detail::byte_range share = detail::even_share(entries + documents, part);
  const auto first_at = [&](std::uint64_t place) {
    const auto before = [&](std::uint64_t d) { return arrays.offsets[d] + d < place; };
    const auto numbers = std::views::iota(std::uint64_t{0}, documents);
    return static_cast<std::uint64_t>(std::ranges::partition_point(numbers, before) - numbers.begin());
  };
  const std::uint64_t first = first_at(share.begin), last = first_at(share.end), size = last - first;
  if (size < documents) {
    arrays.offsets = arrays.offsets.subspan(first, size + 1);
    const std::uint64_t begin = arrays.offsets.front(), count = arrays.offsets.back() - begin;
    arrays.words = arrays.words.subspan(begin, count);
    arrays.counts = arrays.counts.subspan(begin, count);
    if (!arrays.ids.empty()) arrays.ids = arrays.ids.subspan(first, size);
    if (!arrays.users.empty()) arrays.users = arrays.users.subspan(first, size);
    arrays.tokens.reset();
  }
  arrays.first_id = first;
  corpus_part opened{
      .name = folder.string(), .words_are_given = true, .numbered = true, .first = first, .documents = documents};
  opened.found.docs = detail::open_arrays(std::move(arrays), detail::with_origin(*words, record.origin()),
                                          record.pruned(), mapped_storage(scratch.empty() ? folder : scratch));
  return opened;
}

DPLDA_INLINE labelled_corpus open_labelled_corpus(const std::filesystem::path& folder,
                                                  const std::filesystem::path& scratch) {
  const detail::corpus_record record(folder);
  labelled_corpus found{.docs = open_corpus(folder, scratch)};
  const std::size_t documents = found.docs.size();
  if (record.lists("users.txt")) {
    found.users = read_vocabulary(folder / "users.txt");
    if (found.users->size() != found.docs.users())
      throw parse_error((folder / "users.txt").string(), 0,
                        detail::text("expected ", found.docs.users(), " users, found ", found.users->size()));
  }
  if (record.lists("groups.npy")) {
    const auto [file, numbers] = detail::map_array<std::uint32_t>(folder / "groups.npy", documents);
    found.groups = {{numbers.begin(), numbers.end()}, read_vocabulary(folder / "groups.txt")};
    for (const std::uint32_t group : numbers)
      if (group != label_list::none && group >= found.groups.labels->size())
        throw parse_error((folder / "groups.npy").string(), 0,
                          detail::text("expected groups below ", found.groups.labels->size(), "; the file is damaged"));
  }
  if (record.lists("dates.npy")) {
    const auto [file, numbers] = detail::map_array<std::uint32_t>(folder / "dates.npy", documents);
    for (const std::uint32_t number : numbers) {
      const auto date = detail::date_of_number(number);
      if (!date)
        throw parse_error((folder / "dates.npy").string(), 0,
                          detail::text("expected dates as numbers yyyymmdd, found ", number, "; the file is damaged"));
      found.dates.push_back(*date);
    }
  }
  return found;
}

DPLDA_INLINE packed_facts facts_of_corpus(const std::filesystem::path& folder) {
  const detail::corpus_record record(folder);
  return {record.pruned(), record.origin(), record.lists("users.npy"), record.settings()};
}

DPLDA_INLINE void verify_corpus(const std::filesystem::path& folder) {
  const detail::corpus_record record(folder);
  const corpus docs = open_labelled_corpus(folder).docs;
  for (const auto& [name, digest] : record.digests()) {
    auto file = open_to_read(folder / name);
    if (digest != json_value(sha256_hex(file)))
      throw parse_error((folder / name).string(), 0, "the checksum does not match corpus.json");
  }
  std::uint64_t tokens = 0;
  for (std::size_t d = 0; d < docs.size(); ++d) tokens += docs[d].length();
  if (tokens != docs.tokens()) record.refuse(detail::text(tokens, " tokens, as the documents have"));
}

}  // namespace dplda::inline v0_1

#endif
