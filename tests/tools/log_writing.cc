// The log and the program that carries it: whatever happens to the file, the program goes on, and what was lost is told.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "observe/log.h"

namespace garner {
namespace {

class LogWriting : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/garner-log-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
  }
  void TearDown() override { ASSERT_EQ(system(("rm -rf " + directory_).c_str()), 0); }
  std::string path(const char* name) const { return directory_ + "/" + name; }

  static Settings to(const std::string& path, bool json = true) {
    Settings settings;
    EXPECT_TRUE(settings.parse(("log=" + path + (json ? ",log_format=json" : "")).c_str())) << settings.error();
    return settings;
  }
  static std::string text(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
  }
  static void emit(Log& log, u64 value = 1) {
    Emitter emitter;
    emitter.add(log.sink());
    emitter.emit(EventId::limit_changed, LimitChanged{0, value});
  }
  // Runs `body` in a child; what it wrote to stderr.
  template <class Body> static std::string in_child(int& status, Body body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      dup2(ends[1], 2);
      ::close(ends[0]);
      ::close(ends[1]);
      body();
      _exit(0);
    }
    ::close(ends[1]);
    std::string said;
    char block[256];
    for (ssize_t n; (n = read(ends[0], block, sizeof block)) > 0;) said.append(block, size_t(n));
    ::close(ends[0]);
    waitpid(child, &status, 0);
    return said;
  }
  std::string directory_;
};

TEST_F(LogWriting, OffIsSilent) {
  Log log;
  EXPECT_FALSE(log.open(Settings(), 0));
  EXPECT_FALSE(log.on());
  emit(log);
}

TEST_F(LogWriting, AppendsRecordsToAFileThatChildrenDoNotInherit) {
  { std::ofstream(path("log")) << "before\n"; }
  Log log;
  ASSERT_TRUE(log.open(to(path("log")), 5));
  emit(log, 9);
  log.close();
  emit(log, 10); // dropped
  std::string expected = "before\n{\"event\":\"limit_changed\",\"pid\":" + std::to_string(getpid()) + ",\"before\":0,\"after\":9}\n";
  EXPECT_EQ(text(path("log")), expected);
}

TEST_F(LogWriting, AnUnwritablePathIsOneLineAndLoggingIsOff) {
  int status = 0;
  std::string said = in_child(status, [&] {
    Log log;
    if (log.open(to(path("no/such/log")), 0) || log.on()) _exit(9);
    emit(log);
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(said, "garner: the log '" + path("no/such/log") + "' cannot be written: No such file or directory; logging is off\n");
  EXPECT_NE(in_child(status, [&] { Log().open(to(directory_), 0); }).find("Is a directory"), std::string::npos);
}

TEST_F(LogWriting, StderrGetsLines) {
  int status = 0;
  std::string said = in_child(status, [] {
    Log log;
    log.open(to("stderr", false), 0);
    emit(log, 5 * MiB);
  });
  EXPECT_EQ(said, "garner: limit changed: none -> 5.0m\n");
}

TEST_F(LogWriting, AClosedPipeNeitherKillsNorStaysOpen) {
  int status = 0;
  in_child(status, [] {
    int ends[2];
    if (pipe(ends) != 0) _exit(8);
    signal(SIGPIPE, SIG_DFL);
    dup2(ends[1], 2);
    Log log;
    if (!log.open(to("stderr"), 0)) _exit(7);
    ::close(ends[0]);
    emit(log);
    if (log.on()) _exit(6);
    emit(log);
    sigset_t pending;
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE) == 1) _exit(5);
  });
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(LogWriting, AFullPipeCostsRecordsNotTimeAndTheyAreCounted) {
  std::string fifo = path("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  int reader = open(fifo.c_str(), O_RDONLY | O_NONBLOCK);
  Log log;
  ASSERT_TRUE(log.open(to(fifo), 0));
  for (int i = 0; i < 5000; i++) emit(log);
  u64 lost = log.records_lost();
  EXPECT_GT(lost, 0u);
  std::vector<char> block(1 << 20);
  while (read(reader, block.data(), block.size()) > 0) {}
  emit(log);
  ssize_t n = read(reader, block.data(), block.size());
  std::string record(block.data(), size_t(std::max<ssize_t>(n, 0)));
  EXPECT_NE(record.find("\"lost_before\":" + std::to_string(lost) + "}"), std::string::npos) << record;
  EXPECT_EQ(log.records_lost(), 0u);
  ::close(reader);
}

TEST_F(LogWriting, AFileThatMayNotGrowDoesNotKill) {
  int status = 0;
  std::string file = path("log");
  in_child(status, [&] {
    rlimit limit = {100, 100};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_DFL);
    Log log;
    if (!log.open(to(file), 0)) _exit(9);
    for (int i = 0; i < 5; i++) emit(log);
    if (log.records_lost() < 3) _exit(8);
  });
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(text(file).size(), 100u);
}

TEST_F(LogWriting, AFullDiskIsSurvived) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  Log log;
  ASSERT_TRUE(log.open(to("/dev/full"), 0));
  errno = 77;
  for (int i = 0; i < 3; i++) emit(log);
  EXPECT_EQ(errno, 77) << "errno belongs to the program";
  EXPECT_EQ(log.records_lost(), 3u);
  EXPECT_TRUE(log.on()) << "there may be room again";
}

TEST_F(LogWriting, AFullDiskIsOneNotice) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "no /dev/full";
  int status = 0;
  const auto three = [](const char* more) {
    Settings settings = to(std::string("/dev/full") + more);
    Log log;
    if (!log.open(settings, 0)) _exit(9);
    for (int i = 0; i < 3; i++) emit(log);
  };
  EXPECT_EQ(in_child(status, [&] { three(""); }), "garner: the log cannot be written: No space left on device; records are lost\n");
  EXPECT_EQ(in_child(status, [&] { three(",notices=off"); }), "");
  EXPECT_EQ(in_child(status, [&] { // whose reader is gone
              int ends[2];
              if (pipe(ends) != 0) _exit(8);
              signal(SIGPIPE, SIG_DFL);
              dup2(ends[1], 2);
              ::close(ends[0]), ::close(ends[1]);
              three("");
            }), "");
  EXPECT_EQ(status, 0);
}

TEST_F(LogWriting, AnotherFileUnderOurNumberIsNotTouched) {
  Log log;
  ASSERT_TRUE(log.open(to(path("log")), 0));
  int next = open("/dev/null", O_RDONLY), ours = next - 1; // numbers are given in order
  ::close(next);
  ::close(ours); // as a program does that closes all it does not know
  int theirs = open(path("theirs").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(theirs, ours);
  emit(log);
  EXPECT_FALSE(log.on());
  EXPECT_EQ(text(path("theirs")), "");
  log.close();
  EXPECT_NE(fcntl(theirs, F_GETFD), -1) << "not closed either";
  ::close(theirs);
}

TEST_F(LogWriting, StandardNumbersAreLeftAlone) {
  int status = 0;
  std::string file = path("log");
  in_child(status, [&] {
    ::close(0);
    ::close(1);
    Log log;
    if (!log.open(to(file), 0)) _exit(9);
    if (fcntl(0, F_GETFD) != -1 || fcntl(1, F_GETFD) != -1) _exit(8);
    emit(log);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_NE(text(file), "");
}

TEST_F(LogWriting, RecordsOfManyThreadsDoNotMix) {
  Log log;
  ASSERT_TRUE(log.open(to(path("log")), 0));
  std::vector<std::thread> threads;
  for (u64 t = 0; t < 4; t++)
    threads.emplace_back([&log, t] {
      for (u64 i = 0; i < 2000; i++) emit(log, t * 10000 + i);
    });
  for (std::thread& thread : threads) thread.join();
  std::ifstream in(path("log"));
  size_t lines = 0;
  for (std::string line; std::getline(in, line); lines++) ASSERT_TRUE(line.starts_with("{\"event\":\"limit_changed\"") && line.ends_with("}")) << line;
  EXPECT_EQ(lines, 8000u);
}

TEST_F(LogWriting, ABlockedSignalOfTheProgramStaysPending) {
  int status = 0;
  in_child(status, [] {
    int ends[2];
    if (pipe(ends) != 0) _exit(8);
    sigset_t set, pending;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    sigprocmask(SIG_BLOCK, &set, nullptr);
    raise(SIGPIPE); // the program's own
    dup2(ends[1], 2);
    Log log;
    log.open(to("stderr"), 0);
    ::close(ends[0]);
    emit(log);
    sigpending(&pending);
    if (sigismember(&pending, SIGPIPE) != 1) _exit(7);
  });
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace
} // namespace garner
