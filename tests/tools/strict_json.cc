// JSON read strictly: what a file may not decide is how deep its reader recurses.
#include <gtest/gtest.h>

#include "errors.h"
#include "strict_json.h"

namespace garner::tool {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_strictly(text, "f.json");
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}
std::string times(usize n, const std::string& text) {
  std::string all;
  for (; n > 0; n--) all += text;
  return all;
}
std::string lists(usize depth) { return times(depth, "[") + times(depth, "]"); }
std::string objects(usize depth) { return times(depth, "{\"a\": ") + "1" + times(depth, "}"); }

TEST(StrictJsonTest, SoManyListsAndObjectsInEachOtherAreRead) {
  for (const std::string& text : {lists(64), objects(64), "{\"a\": " + lists(63) + "}"}) EXPECT_EQ(refusal(text), "");
}

// An ordered object copies its members when it grows, one call for each level: a hundred thousand of them once ended the program.
TEST(StrictJsonTest, MoreAreRefused) {
  const std::string line = "f.json: more than 64 lists and objects lie in each other";
  for (const usize depth : {65, 1'000, 200'000})
    for (const std::string& text : {lists(depth), objects(depth), times(depth, "["), "{\"a\": 1, \"b\": " + lists(depth - 1) + ", \"c\": 2}"}) EXPECT_EQ(refusal(text), line) << depth;
}

} // namespace
} // namespace garner::tool
