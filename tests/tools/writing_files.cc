// How the command writes its files: what is no regular file stays what it is, links are followed, and nothing is left behind by a failure.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "errors.h"
#include "paths.h"

namespace garner::tool {
namespace {

class WritingFiles : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return temporary_.path() / name; }
  static std::string text_of(const fs::path& path) {
    std::string text;
    return read_file(path, text) ? text : "cannot be read";
  }
  size_t files() const { return size_t(std::distance(fs::directory_iterator(temporary_.path()), fs::directory_iterator())); }
  // What is said of a file that cannot be written.
  template <class Error> static std::string trouble_of(const fs::path& path) {
    try {
      write_file(path, "text");
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TempDirectory temporary_;
};

TEST_F(WritingFiles, AFileIsReplacedAndNothingElseIsLeft) {
  write_file(at("a"), "one");
  write_file(at("a"), "2");
  EXPECT_EQ(text_of(at("a")), "2");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WritingFiles, LinksAreFollowedAlsoToWhatIsNotThereYet) {
  fs::create_directory(at("below"));
  write_file(at("below/a"), "one");
  fs::create_symlink("below/a", at("link"));
  fs::create_symlink(at("link"), at("link2"));
  fs::create_symlink("below/b", at("dangling"));
  write_file(at("link2"), "two");
  write_file(at("dangling"), "new");
  EXPECT_EQ(text_of(at("below/a")), "two");
  EXPECT_EQ(text_of(at("below/b")), "new");
  for (const char* link : {"link", "link2", "dangling"}) EXPECT_TRUE(fs::is_symlink(at(link))) << link;
  fs::create_symlink("loop", at("loop"));
  EXPECT_NE(trouble_of<std::runtime_error>(at("loop")).find("Too many levels of symbolic links"), std::string::npos);
}

TEST_F(WritingFiles, AFifoIsWrittenInPlace) {
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  fs::create_symlink("fifo", at("link"));
  const int reader = open(at("fifo").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_file(at("link"), "text");
  char got[8];
  EXPECT_EQ(read(reader, got, sizeof got), 4);
  close(reader);
  EXPECT_TRUE(fs::is_fifo(at("fifo")));
  EXPECT_EQ(files(), 2u);
}

TEST_F(WritingFiles, WhereStdoutGoesIsWrittenInPlace) {
  const int before = dup(1), file = open(at("out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(write(file, "table\n", 6), 6);
  fflush(stdout);
  dup2(file, 1);
  write_file("/dev/stdout", "page\n");
  dup2(before, 1);
  ASSERT_EQ(write(file, "end\n", 4), 4);
  close(before), close(file);
  EXPECT_EQ(text_of(at("out")), "table\npage\nend\n");
}

TEST_F(WritingFiles, AFailureIsOneLineAndLeavesNothing) {
  fs::create_directory(at("directory"));
  EXPECT_EQ(trouble_of<std::runtime_error>(at("directory")), "cannot write '" + at("directory").string() + "': Is a directory");
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(trouble_of<UsageError>(at("none/below/a")), "cannot write '" + at("none/below/a").string() + "': " + at("none/below").string() + ": No such file or directory");
  EXPECT_FALSE(fs::exists(at("none"))) << "no directory is made";
  EXPECT_EQ(trouble_of<std::runtime_error>("/proc/garner"), "cannot write '/proc/garner': no file can be made in its directory");
  write_file(at("a"), "one");
  EXPECT_NE(trouble_of<UsageError>(at("a/b")).find(": Not a directory"), std::string::npos);
  struct stat null;
  if (stat("/dev/null", &null) == 0 && S_ISCHR(null.st_mode)) {
    fs::create_symlink("/dev/null", at("null"));
    write_file(at("null"), "text");
    EXPECT_TRUE(fs::is_character_file("/dev/null"));
  }
  struct SmallFiles {
    SmallFiles() {
      getrlimit(RLIMIT_FSIZE, &before), handler = signal(SIGXFSZ, SIG_IGN);
      const rlimit small{2, before.rlim_max};
      setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() { setrlimit(RLIMIT_FSIZE, &before), signal(SIGXFSZ, handler); }
    rlimit before;
    sighandler_t handler;
  };
  std::string full;
  const auto before = files();
  {
    const SmallFiles limit; // stands for a full disk
    full = trouble_of<std::runtime_error>(at("a"));
  }
  EXPECT_EQ(full, "cannot write '" + at("a").string() + "': File too large");
  EXPECT_EQ(text_of(at("a")), "one") << "the old file stays";
  EXPECT_EQ(files(), before);
}

TEST_F(WritingFiles, APlaceIsTriedBeforeTheWorkAndNothingIsLeft) {
  const auto trouble = [](const fs::path& path) {
    try {
      want_place_for(path);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  fs::create_directory(at("directory"));
  write_file(at("a"), "one");
  const std::string taken = fmt::format("b.{}.new", getpid());
  write_file(at(taken), "somebody's");
  for (const char* good : {"a", "b", "new"}) EXPECT_EQ(trouble(at(good)), "");
  EXPECT_EQ(trouble(""), "");
  EXPECT_EQ(trouble("/dev/null"), "");
  EXPECT_EQ(trouble(at("directory")), "cannot write '" + at("directory").string() + "': Is a directory");
  EXPECT_EQ(trouble(at("none/a")), "cannot write '" + at("none/a").string() + "': " + at("none").string() + ": No such file or directory");
  EXPECT_EQ(trouble("/proc/garner"), "cannot write '/proc/garner': no file can be made in its directory");
  EXPECT_EQ(text_of(at("a")), "one");
  EXPECT_EQ(text_of(at(taken)), "somebody's");
  EXPECT_EQ(files(), 3u);
}

TEST_F(WritingFiles, TwoOutputsCannotBeOneFileUnlessNobodyReadsIt) {
  EXPECT_THROW(want_places_for(at("a"), at("a")), UsageError);
  EXPECT_NO_THROW(want_places_for(at("a"), at("b")));
  EXPECT_NO_THROW(want_places_for("", ""));
  ASSERT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
  EXPECT_THROW(want_places_for(at("fifo"), at("fifo")), UsageError);
  EXPECT_THROW(want_places_for("/dev/zero", "/dev/zero"), UsageError);
  fs::create_symlink("/dev/null", at("null"));
  EXPECT_NO_THROW(want_places_for("/dev/null", "/dev/null"));
  EXPECT_NO_THROW(want_places_for(at("null"), at("null")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(WritingFiles, DirectoriesAreMadeWhereThatIsAskedFor) {
  write_file_and_directories(at("some/where/a"), "one");
  EXPECT_EQ(text_of(at("some/where/a")), "one");
  write_file(at("b"), "one");
  EXPECT_THROW(write_file_and_directories(at("b/a"), "two"), UsageError);
}

// Programs that are given a path in it run in directories of their own.
TEST_F(WritingFiles, ATemporaryDirectoryIsAbsoluteWhereTmpdirIsNot) {
  const char* had = std::getenv("TMPDIR");
  const std::string before = had == nullptr ? "" : had;
  setenv("TMPDIR", ".", 1);
  {
    TempDirectory temporary;
    EXPECT_TRUE(temporary.path().is_absolute()) << temporary.path();
    EXPECT_TRUE(fs::equivalent(temporary.path().parent_path(), fs::current_path()));
    EXPECT_TRUE(fs::is_empty(temporary.path())) << "nothing is left in it";
  }
  if (had == nullptr) unsetenv("TMPDIR");
  else setenv("TMPDIR", before.c_str(), 1);
}

} // namespace
} // namespace garner::tool
