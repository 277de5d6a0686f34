// Settings: the values of one heap's options, and their reading from text ("name=value,name=value").
//
// Errors never throw and never abort: parse() returns false and leaves one sentence in `error`. Not thread-safe; filled once at start.
#pragma once
#include "options/table.h"

namespace garner {

class Settings {
 public:
  static constexpr usize kTextBytes = 512;
  Settings(); // every option at its default

  i64 get(Opt option) const { return values_[usize(option)]; }
  usize bytes(Opt option) const { return usize(get(option)); }
  bool on(Opt option) const { return get(option) != 0; }
  template <class E> E as(Opt option) const { return E(get(option)); }
  const char* text(Opt option) const { return texts_[text_index(option)]; }
  const char* log_path() const { return text(Opt::log); }
  bool given(Opt option) const { return given_[usize(option)]; } // named by the user, not by default or preset

  void set(Opt option, i64 value) { values_[usize(option)] = value; }
  void set_given(Opt option, i64 value) {
    set(option, value);
    given_[usize(option)] = true;
  }

  // Reads a list like "preset=naps,workers=4,heap.limit=512m". Presets apply first, wherever they stand.
  // Later items win over earlier ones. False with a sentence in error() when an item is unknown, malformed or out of range;
  // the items before it are in force then.
  bool parse(const char* list);
  // The first illegal combination in force, or null.
  const IllegalPair* illegal() const;
  const char* error() const { return error_; }

  // The value of an option as text, the way parse() reads it. `out` holds at least 64 bytes (kTextBytes for text options).
  void print(Opt option, char* out, usize bytes) const;

 private:
  bool parse_item(const char* item, usize bytes, bool presets);
  bool parse_value(const OptRow& row, const char* text, usize bytes);
  bool fail(const char* what, const char* text, usize bytes, const char* more = "");

  i64 values_[kOptions];
  bool given_[kOptions] = {};
  char texts_[kTexts][kTextBytes];
  char error_[kTextBytes] = "";
};

// The row a name means: full name, unique rest after the dot, or alias. Null when there is none.
const OptRow* find_option(const char* name, usize bytes);
// "12", "12k", "12m", "12g" (also upper case, also a trailing "b" or "ib"): bytes. False when malformed or too large.
bool parse_bytes(const char* text, usize bytes, i64& out);

} // namespace garner
