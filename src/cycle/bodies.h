// Bodies of phases, for Gang::run: what the conductor writes as a lambda over tasks, as a type with root, drain and take.
#pragma once
#include "base/words.h"

namespace garner {
namespace {
// What is made of them is each file's own: a phase that one place calls is put there by the compiler.

// The body of a phase that traces: tasks are a lambda, draining and stealing are the tracer's.
template <class T, class F> struct TracingBody {
  T& tracer;
  F task_fn;
  template <class Self> void root(Self& self, u32 task) { task_fn(self, task); }
  template <class Self> void drain(Self& self) { tracer.drain(self); }
  template <class Self> void take(Self& self, u64 entry) { tracer.take(self, entry); }
};
// The body of a phase that is only tasks.
template <class F> struct TaskBody {
  F task_fn;
  template <class Self> void root(Self& self, u32 task) { task_fn(self, task); }
  template <class Self> void drain(Self&) {}
  template <class Self> void take(Self&, u64) {}
};
template <class F> TaskBody(F) -> TaskBody<F>; // for clang before 17

} // namespace
} // namespace garner
