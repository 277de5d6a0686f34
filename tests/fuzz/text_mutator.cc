#include "text_mutator.h"

#include <cctype>

namespace garner::test {
namespace {

const char* const kNumbers[] = {"0", "-0", "-1", "1", "2", "0.5", "1e-320", "1e308", "-1e308", "1e999", "9007199254740993", "18446744073709551615", "18446744073709551616", "9223372036854775807", "9223372036854775808",
                                "-9223372036854775808", "4294967295", "4294967296", "2147483647", "2147483648", "65535", "8191", "8192", "1024", "1025", "64", "65", "1e18", "1e19", "00", "0x7f", "1,2", "1-2", "NaN", "null"};
// What is nested: JSON's lists and objects, XML's elements.
const char* const kOpening[] = {"[", "{\"a\":", "{\"children\":[{\"field\":\"x:\",\"data\":\"1\",\"children\":[", "<object type=\"Core\" cpuset=\"0x00000001\">", "<object type=\"NUMANode\" os_index=\"1\" local_memory=\"1\" cpuset=\"0x00000001\">"};
const char* const kClosing[] = {"]", "}", "]}]}", "</object>", "</object>"};
const char* const kPieces[] = {"a", "\\", "\\n", "\\u0000", "\n", "\xc3\xa9", "\x80", "\x1b", " ", ",", "0x1,", "0xffffffff,", "0-8191,", "1 ", "&amp;", "\xf0\x9f\x96\xa5", "9", "<b>", "--"};

} // namespace

usize TextMutator::many(usize bytes_each) {
  const usize fit = room() / max_of<usize>(bytes_each, 1);
  if (fit == 0) return 0;
  return random_.one_in(3) ? 1 + usize(random_.below(fit)) : min_of<usize>(fit, 1 + usize(random_.below(u64(1) << random_.below(12))));
}

TextMutator::Range TextMutator::some_lines() {
  const usize at = somewhere();
  const usize before = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  const usize begin = before == std::string::npos ? 0 : before + 1;
  usize end = begin;
  for (u64 lines = 1 + random_.below(3); lines > 0 && end < text_.size(); lines--) {
    const usize next = text_.find('\n', end);
    end = next == std::string::npos ? text_.size() : next + 1;
  }
  return {begin, end};
}

template <class In> TextMutator::Range TextMutator::some_run(In in) {
  usize begin = somewhere();
  for (usize looked = 0; looked < text_.size() && (begin >= text_.size() || !in(text_[begin])); looked++) begin = begin >= text_.size() ? 0 : begin + 1;
  if (begin >= text_.size() || !in(text_[begin])) return {0, 0};
  while (begin > 0 && in(text_[begin - 1])) begin--;
  usize end = begin;
  while (end < text_.size() && in(text_[end])) end++;
  return {begin, end};
}

void TextMutator::flip_bits() {
  for (u64 left = 1 + random_.below(8); left > 0 && !text_.empty(); left--) text_[usize(random_.below(text_.size()))] ^= char(1 << random_.below(8));
}
void TextMutator::cut() {
  if (random_.one_in(4)) text_.erase(0, somewhere());
  else text_.resize(somewhere());
}
void TextMutator::change_number() {
  const Range number = some_run([](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '-'; });
  if (number.end == number.begin) return;
  if (random_.one_in(12)) text_.replace(number.begin, number.end - number.begin, std::string(many(1), '9'));
  else text_.replace(number.begin, number.end - number.begin, kNumbers[random_.below(std::size(kNumbers))]);
}
void TextMutator::repeat_lines() {
  const Range lines = some_lines();
  const std::string one = text_.substr(lines.begin, lines.end - lines.begin);
  std::string all;
  for (usize n = many(one.size()); n > 0; n--) all += one;
  text_.insert(lines.end, all);
}
void TextMutator::lose_lines() {
  const Range lines = some_lines();
  text_.erase(lines.begin, lines.end - lines.begin);
}
void TextMutator::swap_lines() {
  const Range lines = some_lines();
  const std::string moved = text_.substr(lines.begin, lines.end - lines.begin);
  text_.erase(lines.begin, lines.end - lines.begin);
  text_.insert(some_lines().begin, moved);
}
// A name or a value in the place of another.
void TextMutator::copy_word() {
  const auto in = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  const Range from = some_run(in);
  const std::string word = text_.substr(from.begin, from.end - from.begin);
  const Range to = some_run(in);
  text_.replace(to.begin, to.end - to.begin, word);
}
void TextMutator::stretch_string() {
  usize at = text_.find('"', somewhere());
  at = at == std::string::npos ? somewhere() : at + 1;
  const std::string piece = kPieces[random_.below(std::size(kPieces))];
  std::string all;
  for (usize n = many(piece.size()); n > 0; n--) all += piece;
  text_.insert(at, all);
}
void TextMutator::nest() {
  usize at = text_.find_first_of(":[,>", somewhere());
  at = at == std::string::npos ? somewhere() : at + 1;
  const usize what = usize(random_.below(std::size(kOpening)));
  const std::string opening = kOpening[what], closing = kClosing[what];
  std::string all;
  const usize depth = many(opening.size() + closing.size());
  for (usize n = 0; n < depth; n++) all += opening;
  if (!random_.one_in(4)) all += what < 2 ? "1" : "";
  if (!random_.one_in(4))
    for (usize n = 0; n < depth; n++) all += closing;
  if (random_.one_in(3)) { // in the place of a value
    const usize end = text_.find_first_of(",}]\n", at);
    text_.erase(at, end == std::string::npos ? end : end - at);
  }
  text_.insert(at, all);
}

void TextMutator::change() {
  switch (random_.below(12)) {
    case 0: flip_bits(); break;
    case 1: cut(); break;
    case 2: case 3: case 4: change_number(); break;
    case 5: repeat_lines(); break;
    case 6: lose_lines(); break;
    case 7: swap_lines(); break;
    case 8: copy_word(); break;
    case 9: stretch_string(); break;
    default: nest(); break;
  }
}

} // namespace garner::test
