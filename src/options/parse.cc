// Settings: reading "name=value,name=value", presets, and the pairs that exclude each other (parse.h).
#include "options/parse.h"

#include "base/print.h"

namespace garner {
namespace {

bool same(const char* a, usize a_bytes, const char* b) { return strlen(b) == a_bytes && memcmp(a, b, a_bytes) == 0; }

bool in_list(const char* list, char separator, const char* text, usize bytes, i64* index) {
  i64 at = 0;
  for (const char* p = list; *p != 0; at++) {
    const char* end = p;
    while (*end != 0 && *end != separator) end++;
    if (usize(end - p) == bytes && bytes > 0 && memcmp(p, text, bytes) == 0) {
      if (index != nullptr) *index = at;
      return true;
    }
    p = *end == 0 ? end : end + 1;
  }
  return false;
}

bool parse_digits(const char* text, usize bytes, usize& used, i64& out) {
  u64 value = 0;
  used = 0;
  while (used < bytes && text[used] >= '0' && text[used] <= '9') {
    u64 digit = u64(text[used++] - '0');
    if (value > ((~u64(0) >> 1) - digit) / 10) return false;
    value = value * 10 + digit;
  }
  out = i64(value);
  return used > 0;
}

} // namespace

bool parse_bytes(const char* text, usize bytes, i64& out) {
  usize used;
  if (!parse_digits(text, bytes, used, out)) return false;
  if (used == bytes) return true;
  u32 shift;
  switch (text[used] | 0x20) {
    case 'k': shift = 10; break;
    case 'm': shift = 20; break;
    case 'g': shift = 30; break;
    case 't': shift = 40; break;
    default: return false;
  }
  used++;
  usize rest = bytes - used;
  bool unit = rest == 0 || (rest == 1 && (text[used] | 0x20) == 'b') || (rest == 2 && (text[used] | 0x20) == 'i' && (text[used + 1] | 0x20) == 'b');
  if (!unit || out > (kMaxBytes >> shift)) return false;
  out <<= shift;
  return true;
}

const OptRow* find_option(const char* name, usize bytes) {
  const OptRow* by_rest = nullptr;
  for (const OptRow& row : kTable) {
    if (same(name, bytes, row.name) || in_list(row.alias, ' ', name, bytes, nullptr)) return &row;
    const char* rest = strchr(row.name, '.') + 1;
    if (same(name, bytes, rest)) {
      if (by_rest != nullptr) return nullptr; // ambiguous: the full name is asked for
      by_rest = &row;
    }
  }
  return by_rest;
}

Settings::Settings() {
  for (const OptRow& row : kTable) {
    values_[usize(row.id)] = row.value;
    if (row.type == OptType::text) memcpy(texts_[text_index(row.id)], kTextDefaults[row.value], strlen(kTextDefaults[row.value]) + 1);
  }
}

bool Settings::fail(const char* what, const char* text, usize bytes, const char* more) {
  Line line;
  line.text(what).text(" '").text(text, min_of(bytes, usize(120))).text("'").text(more);
  usize n = min_of(line.size(), kTextBytes - 1);
  memcpy(error_, line.c_str(), n);
  error_[n] = 0;
  return false;
}

bool Settings::parse_value(const OptRow& row, const char* text, usize bytes) {
  i64 value = 0;
  switch (row.type) {
    case OptType::text:
      if (bytes == 0 || bytes >= kTextBytes) return fail("empty or too long value for option", row.name, strlen(row.name));
      memcpy(texts_[text_index(row.id)], text, bytes);
      texts_[text_index(row.id)][bytes] = 0;
      given_[usize(row.id)] = true;
      return true;
    case OptType::choice:
      if (!in_list(row.choices, '|', text, bytes, &value) && !(row.values != nullptr && in_list(row.values, '|', text, bytes, &value))) {
        Line more;
        more.text(" for option ").text(row.name).text(": one of ").text(row.choices);
        return fail("unknown value", text, bytes, more.c_str());
      }
      break;
    case OptType::flag: {
      if (in_list("on|1|true|yes", '|', text, bytes, nullptr)) value = 1;
      else if (!in_list("off|0|false|no", '|', text, bytes, nullptr)) {
        Line more;
        more.text(" for option ").text(row.name).text(": on or off");
        return fail("unknown value", text, bytes, more.c_str());
      }
      break;
    }
    case OptType::number:
    case OptType::bytes: {
      usize used = 0;
      bool good = row.type == OptType::bytes ? parse_bytes(text, bytes, value) : (parse_digits(text, bytes, used, value) && used == bytes);
      if (!good || value < row.low || value > row.high) {
        Line more;
        more.text(" for option ").text(row.name).text(": ").num(row.low).text(" to ").num(row.high).text(" ").text(row.unit);
        return fail(good ? "value out of range" : "malformed value", text, bytes, more.c_str());
      }
      if ((row.id == Opt::region || row.id == Opt::queue_capacity || row.id == Opt::root_capacity) && !is_power_of_two(u64(value)))
        return fail("not a power of two:", text, bytes);
      break;
    }
  }
  set_given(row.id, value);
  return true;
}

bool Settings::parse_item(const char* item, usize bytes, bool presets) {
  const char* equals = static_cast<const char*>(memchr(item, '=', bytes));
  // The presets' pass leaves complaints to the second one, so that the items before a mistake are in force.
  if (equals == nullptr) return presets || fail("expected name=value, found", item, bytes);
  usize name_bytes = usize(equals - item);
  const OptRow* row = find_option(item, name_bytes);
  if (row == nullptr) return presets || fail("unknown option", item, name_bytes, "; 'garner options' lists them");
  if ((row->id == Opt::preset) != presets) return true;
  if (!parse_value(*row, equals + 1, bytes - name_bytes - 1)) return false;
  if (!presets) return true;
  for (const OptRow& other : kTable) // a later preset replaces an earlier one
    if (other.id != Opt::preset && !given_[usize(other.id)]) {
      const PresetValue* named = preset_row(as<Preset>(Opt::preset), other.id);
      set(other.id, named == nullptr ? other.value : named->value);
    }
  return true;
}

bool Settings::parse(const char* list) {
  for (int presets = 1; presets >= 0; presets--) {
    for (const char* p = list; *p != 0;) {
      while (*p == ' ' || *p == ',') p++;
      const char* end = p;
      while (*end != 0 && *end != ',') end++;
      usize bytes = usize(end - p);
      while (bytes > 0 && p[bytes - 1] == ' ') bytes--;
      if (bytes > 0 && !parse_item(p, bytes, presets != 0)) return false;
      p = end;
    }
  }
  return true;
}

const IllegalPair* Settings::illegal() const {
  for (const IllegalPair& pair : kIllegal)
    if (get(pair.a) == pair.a_value && get(pair.b) == pair.b_value) return &pair;
  return nullptr;
}

void Settings::print(Opt option, char* out, usize bytes) const {
  const OptRow& row = kTable[usize(option)];
  i64 value = get(option);
  Line line;
  switch (row.type) {
    case OptType::text: line.text(text(option)); break;
    case OptType::flag: line.text(value != 0 ? "on" : "off"); break;
    case OptType::number: line.num(value); break;
    case OptType::bytes:
      if (value != 0 && value % i64(GiB) == 0) line.num(value / i64(GiB)).text("g");
      else if (value != 0 && value % i64(MiB) == 0) line.num(value / i64(MiB)).text("m");
      else if (value != 0 && value % i64(KiB) == 0) line.num(value / i64(KiB)).text("k");
      else line.num(value);
      break;
    case OptType::choice: {
      const char* p = row.choices;
      for (i64 i = 0; i < value; i++) p = strchr(p, '|') + 1;
      const char* end = strchr(p, '|');
      line.text(p, end == nullptr ? strlen(p) : usize(end - p));
      break;
    }
  }
  usize n = min_of(line.size(), bytes - 1);
  memcpy(out, line.c_str(), n);
  out[n] = 0;
}

} // namespace garner
