// The two symbols that the .NET runtime looks for. Everything else in this library is hidden.
//
// An interface of another major version has other slots: it is refused before a single call, with one line that says what was found.
#include <new>

#include "base/print.h"
#include "door/dotnet/heap_calls.h"
#include "host/dotnet/dac.h"
#include "host/dotnet/handle_manager.h"

namespace garner::dotnet {

DotNet* the_host = nullptr;

namespace {

constexpr u32 kFirstWithErrors = 1; // EE interface from which LogErrorToHost exists
u32 runtime_major = 0, runtime_minor = 0;

// Never destroyed: threads of the program may still run while the process exits.
alignas(DotNet) char host_storage[sizeof(DotNet)];
alignas(HeapCalls) char calls_storage[sizeof(HeapCalls)];
alignas(HandleManager) char handles_storage[sizeof(HandleManager)];

} // namespace
} // namespace garner::dotnet

#define GARNER_EXPORT extern "C" __attribute__((visibility("default")))

GARNER_EXPORT void GC_VersionInfo(garner::clr::VersionInfo* info) {
  using namespace garner;
  dotnet::runtime_major = info->major;
  dotnet::runtime_minor = info->minor;
  info->major = clr::kGcInterfaceMajor;
  info->minor = clr::kGcInterfaceMinor;
  info->build = 0;
  info->name = "Garner";
}

GARNER_EXPORT garner::clr::Hresult GC_Initialize(garner::clr::IGCToCLR* runtime, garner::clr::IGCHeap** heap, garner::clr::IGCHandleManager** handles,
                                                 garner::clr::GcDacVars* dac) {
  using namespace garner;
  using namespace garner::dotnet;
  if (runtime_major != clr::kEeInterfaceMajor) {
    Line line;
    line.text("garner: this runtime has GC interface ").num(runtime_major).text(".").num(runtime_minor).text("; supported is ");
    line.num(clr::kEeInterfaceMajor).text(" (.NET 10). Unset DOTNET_GCPath to run on the runtime's own collector");
    if (runtime_major >= kFirstWithErrors && runtime != nullptr) runtime->LogErrorToHost(line.c_str());
    else line.flush(2);
    return clr::kFail;
  }
  if (dac != nullptr) describe_to_debuggers(*dac);
  the_host = new (host_storage) DotNet(runtime);
  *heap = new (calls_storage) HeapCalls(*the_host);
  *handles = new (handles_storage) HandleManager(*the_host);
  return clr::kOk;
}
