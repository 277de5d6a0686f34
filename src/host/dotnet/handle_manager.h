// The runtime's handle manager and handle stores over heap/handles.h.
#pragma once
#include "host/dotnet/host.h"

namespace garner::dotnet {

class HandleStore final : public clr::IGCHandleStore {
 public:
  explicit HandleStore(DotNet& host, HandleOwner* owner) : host_(host), owner_(owner) {}
  void Uproot() override { host_.handle_table.uproot(*owner_); }
  bool ContainsHandle(clr::ObjectHandle handle) override { return chunk_of(reinterpret_cast<Handle>(handle))->owner == owner_; }
  clr::ObjectHandle CreateHandleOfType(clr::Object* object, clr::HandleType type) override { return create(object, type, 0); }
  clr::ObjectHandle CreateHandleOfType(clr::Object* object, clr::HandleType type, int) override { return create(object, type, 0); }
  clr::ObjectHandle CreateHandleWithExtraInfo(clr::Object* object, clr::HandleType type, void* extra) override { return create(object, type, word(extra)); }
  clr::ObjectHandle CreateDependentHandle(clr::Object* primary, clr::Object* secondary) override {
    return create(primary, clr::HandleType::dependent, word(secondary));
  }
  void CompleteDestructor() override {}
  void DeletingDestructor() override {}
  clr::ObjectHandle create(clr::Object* object, clr::HandleType type, word extra);
  HandleOwner& owner() { return *owner_; }

 private:
  DotNet& host_;
  HandleOwner* owner_;
};

class HandleManager final : public clr::IGCHandleManager {
 public:
  explicit HandleManager(DotNet& host) : host_(host), global_(host, &host.global_owner) {}
  bool Initialize() override { return true; }
  void Shutdown() override {}
  clr::IGCHandleStore* GetGlobalHandleStore() override { return &global_; }
  clr::IGCHandleStore* CreateHandleStore() override;
  void DestroyHandleStore(clr::IGCHandleStore* store) override;
  clr::ObjectHandle CreateGlobalHandleOfType(clr::Object* object, clr::HandleType type) override { return global_.create(object, type, 0); }
  clr::ObjectHandle CreateDuplicateHandle(clr::ObjectHandle handle) override { return global_.create(*handle, clr::HandleType::strong, 0); }
  void DestroyHandleOfType(clr::ObjectHandle handle, clr::HandleType) override { DestroyHandleOfUnknownType(handle); }
  void DestroyHandleOfUnknownType(clr::ObjectHandle handle) override;
  void SetExtraInfoForHandle(clr::ObjectHandle handle, clr::HandleType, void* extra) override { host_.handle_table.set_extra(slot(handle), word(extra)); }
  void* GetExtraInfoFromHandle(clr::ObjectHandle handle) override { return reinterpret_cast<void*>(HandleTable::extra(slot(handle))); }
  void StoreObjectInHandle(clr::ObjectHandle handle, clr::Object* object) override;
  bool StoreObjectInHandleIfNull(clr::ObjectHandle handle, clr::Object* object) override;
  void SetDependentHandleSecondary(clr::ObjectHandle handle, clr::Object* object) override { host_.handle_table.set_extra(slot(handle), word(object)); }
  clr::Object* GetDependentHandleSecondary(clr::ObjectHandle handle) override { return reinterpret_cast<clr::Object*>(HandleTable::extra(slot(handle))); }
  clr::Object* InterlockedCompareExchangeObjectInHandle(clr::ObjectHandle handle, clr::Object* desired, clr::Object* expected) override;
  clr::HandleType HandleFetchType(clr::ObjectHandle handle) override { return clr::HandleType(chunk_of(slot(handle))->kind); }
  void TraceRefCountedHandles(clr::HandleScanFn visit, word data1, word data2) override;

 private:
  static Handle slot(clr::ObjectHandle handle) { return reinterpret_cast<Handle>(handle); }
  void fire_set(clr::ObjectHandle handle, clr::Object* object);
  friend class HandleStore;

  DotNet& host_;
  HandleStore global_;
};

} // namespace garner::dotnet
