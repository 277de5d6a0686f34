// The runtime's handles: stores made and ended, handles made, stored to and destroyed, with their events (handle_manager.h).
#include "host/dotnet/handle_manager.h"

#include <new>

namespace garner::dotnet {
namespace {

// A store of its own, with its owner record; stores come and go with collectible assemblies.
struct StoreMemory {
  alignas(HandleStore) char store[sizeof(HandleStore)];
  HandleOwner owner;
};

void fire_handle(DotNet& host, void* handle, clr::Object* object, clr::HandleType type) {
  const u32 generation = object != nullptr && host.initialized() ? host.generation_of({word(object)}) : 0;
  if (host.wants(clr::EventKeyword::handle, clr::EventLevel::information)) host.ee->EventSink()->FireSetGCHandle(handle, object, u32(type), generation);
  if ((host.private_keywords.load_relaxed() & u32(clr::EventKeyword::handle_private)) != 0)
    host.ee->EventSink()->FirePrvSetGCHandle(handle, object, u32(type), generation);
}

} // namespace

clr::ObjectHandle HandleStore::create(clr::Object* object, clr::HandleType type, word extra) {
  if (u32(type) >= clr::kHandleTypes) return nullptr;
  auto handle = reinterpret_cast<clr::ObjectHandle>(host_.handle_table.create(*owner_, HandleKind(type), Ref{word(object)}, extra, host_.machine.processor()));
  if (handle != nullptr) fire_handle(host_, handle, object, type);
  return handle;
}

clr::IGCHandleStore* HandleManager::CreateHandleStore() {
  auto* memory = static_cast<StoreMemory*>(map_own(sizeof(StoreMemory)));
  if (memory == nullptr) return nullptr;
  new (&memory->owner) HandleOwner();
  return new (memory->store) HandleStore(host_, &memory->owner);
}

void HandleManager::DestroyHandleStore(clr::IGCHandleStore* store) {
  auto* mine = static_cast<HandleStore*>(store);
  if (mine == &global_) return;
  host_.enter(); // no collection may be looking at its chunks
  host_.handle_table.destroy_all(mine->owner());
  host_.leave();
  unmap_own(mine, sizeof(StoreMemory));
}

void HandleManager::DestroyHandleOfUnknownType(clr::ObjectHandle handle) {
  if (host_.wants(clr::EventKeyword::handle, clr::EventLevel::information)) host_.ee->EventSink()->FireDestroyGCHandle(handle);
  if ((host_.private_keywords.load_relaxed() & u32(clr::EventKeyword::handle_private)) != 0) host_.ee->EventSink()->FirePrvDestroyGCHandle(handle);
  host_.handle_table.destroy(slot(handle));
}

void HandleManager::StoreObjectInHandle(clr::ObjectHandle handle, clr::Object* object) {
  host_.handle_table.store(slot(handle), Ref{word(object)});
  fire_set(handle, object);
}

bool HandleManager::StoreObjectInHandleIfNull(clr::ObjectHandle handle, clr::Object* object) {
  Ref expected{0};
  if (!host_.handle_table.compare_exchange(slot(handle), expected, Ref{word(object)})) return false;
  fire_set(handle, object);
  return true;
}

clr::Object* HandleManager::InterlockedCompareExchangeObjectInHandle(clr::ObjectHandle handle, clr::Object* desired, clr::Object* expected) {
  Ref seen{word(expected)};
  if (host_.handle_table.compare_exchange(slot(handle), seen, Ref{word(desired)})) {
    fire_set(handle, desired);
    return expected;
  }
  return DotNet::object(seen);
}

void HandleManager::fire_set(clr::ObjectHandle handle, clr::Object* object) { fire_handle(host_, handle, object, HandleFetchType(handle)); }

void HandleManager::TraceRefCountedHandles(clr::HandleScanFn visit, word data1, word data2) {
  HandleTable& table = host_.handle_table;
  for (u32 i = 0; i < table.chunks(HandleKind::counted); i++)
    table.chunk(HandleKind::counted, i)->each([&](word* at) {
      if (*at != 0) visit(reinterpret_cast<clr::Object**>(at), nullptr, data1, data2);
    });
}

} // namespace garner::dotnet
