// Starting programs: exit codes, capture, resources, environment, time limit, and what is left behind.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <pty.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "paths.h"
#include "process.h"

namespace garner::tool {
namespace {

Program shell(const std::string& script) {
  Program program;
  program.arguments = {"sh", "-c", script};
  program.streams = Streams::capture;
  return program;
}

bool is_gone(pid_t pid) {
  for (int i = 0; i < 6000; i++) {
    std::string status;
    if (!read_file("/proc/" + std::to_string(pid) + "/stat", status) || status.find(") Z ") != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(Processes, ExitCodeAndStreams) {
  Finished end = run_program(shell("echo out; echo err >&2; exit 7"));
  EXPECT_EQ(end.exit_code, 7);
  EXPECT_EQ(end.signal, 0);
  EXPECT_FALSE(end.good());
  EXPECT_EQ(end.output, "out\n");
  EXPECT_EQ(end.errors, "err\n");
  EXPECT_EQ(end.trouble(), "exit code 7");
}

TEST(Processes, KilledBySignal) {
  Finished end = run_program(shell("kill -SEGV $$"));
  EXPECT_EQ(end.exit_code, 128 + SIGSEGV);
  EXPECT_EQ(end.signal, SIGSEGV);
  EXPECT_EQ(end.trouble(), "killed by signal 11 (Segmentation fault)");
}

TEST(Processes, NotFoundAndNotExecutable) {
  Program program;
  program.arguments = {"no-such-program-anywhere"};
  Finished end = run_program(program);
  EXPECT_EQ(end.start_error, ENOENT);
  EXPECT_FALSE(end.good());
  program.arguments = {"/etc/passwd"};
  EXPECT_EQ(run_program(program).start_error, EACCES);
  program.arguments = {"true"};
  program.directory = "/no/such/directory";
  EXPECT_EQ(run_program(program).start_error, ENOENT);
}

TEST(Processes, EnvironmentAndDirectory) {
  setenv("GARNER_TEST_KEPT", "kept", 1);
  setenv("GARNER_TEST_GONE", "x", 1);
  setenv("GARNER_TEST_CHANGED", "x", 1);
  Program program = shell("echo $GARNER_TEST_KEPT-$GARNER_TEST_GONE-$GARNER_TEST_CHANGED-$GARNER_TEST_NEW; pwd");
  program.environment = {{"GARNER_TEST_GONE", std::nullopt}, {"GARNER_TEST_CHANGED", "y"}, {"GARNER_TEST_NEW", "a=b"}};
  program.directory = "/";
  EXPECT_EQ(run_program(program).output, "kept--y-a=b\n/\n");
}

TEST(Processes, ResourcesOfTheWholeTree) {
  Finished end = run_program(shell("sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'; sleep 0.1"));
  EXPECT_GT(end.cpu_s(), 0.02);
  EXPECT_GE(end.wall_s, 0.1);
  EXPECT_GT(end.peak_bytes, 500u * 1024);
  EXPECT_TRUE(end.peak_is_ours()) << end.peak_bytes << " bytes, and this command has " << end.own_bytes;
}

TEST(Processes, APeakIsTheProgramsOwnWhereItIsMoreThanThisCommandHad) {
  Finished end = run_program(shell("dd if=/dev/zero of=/dev/null bs=200M count=1"));
  EXPECT_FALSE(end.peak_is_ours());
  EXPECT_GT(end.peak_bytes, 200u << 20);
  const std::vector<char> held(100 << 20, 'x');
  EXPECT_TRUE(run_program(shell("true")).peak_is_ours()) << held[12345];
}

TEST(Processes, LargeOutputIsCapturedWhole) { EXPECT_EQ(run_program(shell("head -c 3000000 /dev/zero")).output.size(), 3000000u); }

TEST(Processes, TheTimeLimitKillsTheWholeGroup) {
  Program program = shell("sleep 100 & echo $!; sleep 100");
  program.time_limit_s = 0.3;
  Finished end = run_program(program);
  EXPECT_TRUE(end.timed_out);
  EXPECT_EQ(end.trouble(), "killed at the time limit");
  EXPECT_LT(end.wall_s, 60);
  EXPECT_TRUE(is_gone(std::atoi(end.output.c_str())));
}

TEST(Processes, HelpersLeftBehindAreEnded) {
  Finished end = run_program(shell("sleep 100 & echo $!"));
  EXPECT_TRUE(end.good());
  EXPECT_LT(end.wall_s, 60);
  EXPECT_TRUE(is_gone(std::atoi(end.output.c_str())));
}

TEST(Processes, MeasuredProgramsReadNothing) { EXPECT_EQ(run_program(shell("read x; echo \"got $x\"")).output, "got \n"); }

TEST(Processes, ACallerThatIgnoresChildrenStillGetsFigures) {
  struct sigaction before = {}, ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  Finished end = run_program(shell("exit 3"));
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(end.exit_code, 3);
}

TEST(Processes, TheChildStartsWithOurSignalMaskAndDispositions) {
  Finished end = run_program(shell("grep -E '^Sig(Blk|Ign)' /proc/self/status"));
  EXPECT_EQ(end.output, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST(Processes, EachSecondIsCalledWhileWaiting) {
  TempDirectory temporary;
  const std::string called = (temporary.path() / "called").string();
  Program program = shell("while [ ! -e '" + called + "' ]; do sleep 0.05; done");
  program.each_second = [&called] { write_file(called, ""); };
  program.time_limit_s = 60;
  EXPECT_FALSE(run_program(program).timed_out);
}

// Ctrl-C on a terminal reaches the whole foreground group: the program must not get a second one from us. One that was sent to us alone, it
// must get.
TEST(Processes, TheTerminalsInterruptArrivesOnceAndASentOneToo) {
  TempDirectory temporary;
  std::string got = (temporary.path() / "got").string();
  int terminal = -1;
  pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  ASSERT_GE(child, 0) << "no terminal to be had";
  if (child == 0) {
    Program program = shell("trap 'echo INT >> " + got + "' INT; trap 'exit 9' USR2; echo ready; while :; do sleep 0.02; done");
    program.group = Group::shared;
    program.streams = Streams::inherit;
    _exit(run_program(program).exit_code);
  }
  auto settle = [&got](const std::string& expected) {
    std::string text;
    for (int i = 0; i < 6000 && text != expected; i++, std::this_thread::sleep_for(std::chrono::milliseconds(10))) read_file(got, text);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    read_file(got, text);
    return text;
  };
  std::string shown;
  char c;
  while (shown.find("ready") == std::string::npos && read(terminal, &c, 1) == 1) shown += c;
  ASSERT_EQ(write(terminal, "\x03", 1), 1);
  EXPECT_EQ(settle("INT\n"), "INT\n");
  kill(child, SIGINT);
  EXPECT_EQ(settle("INT\nINT\n"), "INT\nINT\n");
  kill(child, SIGUSR2);
  while (read(terminal, &c, 1) == 1) {}
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 9);
  close(terminal);
}

} // namespace
} // namespace garner::tool
