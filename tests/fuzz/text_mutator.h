// Changes a good text as damage, mistakes and malice would: bits, lost and repeated lines, numbers at the edges of what numbers can be, strings and nesting without end.
// The same seed makes the same change.
#pragma once
#include <string>

#include "base/random.h"

namespace garner::test {

class TextMutator {
 public:
  TextMutator(std::string text, usize most, u64 seed) : text_(std::move(text)), most_(most), random_(seed) {}
  std::string changed() {
    for (u64 left = random_.one_in(8) ? 1 + random_.below(40) : 1 + random_.below(4); left > 0; left--) change();
    if (text_.size() > most_) text_.resize(most_);
    return text_;
  }

 private:
  void change();
  void flip_bits();
  void cut();
  void change_number();
  void repeat_lines();
  void lose_lines();
  void swap_lines();
  void copy_word();
  void stretch_string();
  void nest();

  usize somewhere() { return usize(random_.below(text_.size() + 1)); }
  usize room() const { return text_.size() < most_ ? most_ - text_.size() : 0; }
  // A count from 1 on, mostly small, at times as large as fits.
  usize many(usize bytes_each);
  struct Range { usize begin, end; };
  Range some_lines();
  // The n-th stretch of characters for which `in` holds, by chance; empty when there is none.
  template <class In> Range some_run(In in);

  std::string text_;
  const usize most_;
  Random random_;
};

// The hook of libFuzzer: changes `data` in its place, where up to `most` bytes have room; the new size.
inline usize mutate_text(unsigned char* data, usize size, usize most, u64 seed) {
  const std::string text = TextMutator(std::string(reinterpret_cast<const char*>(data), size), most, seed).changed();
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}

} // namespace garner::test
