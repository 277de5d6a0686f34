#include "shadow.h"

namespace garner::test {

Shadow::Node& Shadow::add(Id id, u64 type, Id loader) {
  if (nodes_.size() <= id) nodes_.resize(id + 1);
  Node& node = nodes_[id];
  node.type = type;
  node.loader = loader;
  node.slots.assign(synthetic::count_slots(type), 0);
  return node;
}

bool Shadow::strong(HandleKind kind) {
  switch (kind) {
    case HandleKind::strong:
    case HandleKind::pinned:
    case HandleKind::async_pinned:
    case HandleKind::sized:
    case HandleKind::variable:
    case HandleKind::cross_reference: return true;
    default: return false;
  }
}

void Shadow::close(std::vector<Id>& todo, u8 bit) {
  auto visit = [&](Id id) {
    if (id == 0 || (marks_[id] & bit) != 0) return;
    marks_[id] |= bit;
    todo.push_back(id);
  };
  while (!todo.empty()) {
    const Node& node = nodes_[todo.back()];
    todo.pop_back();
    for (Id to : node.slots) visit(to);
    visit(node.loader);
  }
}

void Shadow::reach(const std::vector<Id>& roots, u8 bit, bool with_doomed) {
  std::vector<Id> todo;
  auto visit = [&](Id id) {
    if (id == 0 || (marks_[id] & bit) != 0) return false;
    marks_[id] |= bit;
    todo.push_back(id);
    return true;
  };
  for (Id id : roots) visit(id);
  bool more = true;
  while (more) {
    close(todo, bit);
    more = false;
    for (const HandleNote& note : handles)
      if (note.kind == HandleKind::dependent && (with_doomed || !note.doomed) && note.first != 0 && (marks_[note.first] & bit) != 0)
        more = visit(note.second) || more;
  }
}

} // namespace garner::test
