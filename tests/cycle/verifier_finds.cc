// The verifier's negative controls: each kind of damage, planted by hand, ends the process with the line that names it.
#include "collect/small_heap.h"

namespace garner::test {
namespace {

class VerifierFinds : public ::testing::Test {
 protected:
  VerifierFinds() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  // Plants, then collects with the verifier before.
  template <class F> static void damaged(F plant) {
    SmallHeap heap("verify=before");
    for (u32 i = 0; i < 300; i++) heap.root(heap.node(3));
    heap.young();
    heap.young();
    heap.close_buffers();
    plant(heap);
    heap.full();
  }
};
using VerifierDeath = VerifierFinds;

TEST_F(VerifierDeath, NothingInAHeapThatIsWhole) {
  EXPECT_EXIT({ damaged([](SmallHeap&) {}); exit(0); }, ::testing::ExitedWithCode(0), "");
}
TEST_F(VerifierDeath, AReferenceIntoTheMiddleOfAnObject) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { store_word(synthetic::slot_at(heap.at(7), 1).at, heap.at(9).at + 8); }), "verify before.*reference to no object");
}
TEST_F(VerifierDeath, AReferenceIntoAFreeRegion) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { store_word(synthetic::slot_at(heap.at(7), 1).at, heap.heap().begin_of(heap.heap().high_water()) + 8); }), "reference to no object");
}
TEST_F(VerifierDeath, AReferenceToAFiller) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) {
    synthetic::fill(block_of(heap.at(5)), heap.host.size(heap.at(5)));
    heap.let_go(5);
    heap.set(heap.at(7), 0, {heap.at(4).at + (heap.at(6).at - heap.at(4).at) / 2});
  }), "reference to no object");
}
TEST_F(VerifierDeath, ARootThatHoldsNoObject) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { heap.mutator.cells[3].value += 8; }), "reference to no object");
}
TEST_F(VerifierDeath, AHandleThatHoldsNoObject) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { heap.host.table.create(heap.host.owner, HandleKind::weak_long, {heap.at(3).at + 16}, 0); }), "reference to no object");
}
TEST_F(VerifierDeath, ARegistrationThatHoldsNoObject) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { EXPECT_TRUE(heap.host.finalize_queue.add_growing(0, {heap.at(3).at + 16})); }), "reference to no object");
}
TEST_F(VerifierDeath, AYoungReferenceOnACleanCard) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) {
    Ref young = heap.leaf();
    heap.close_buffers();
    store_word(synthetic::slot_at(heap.at(11), 2).at, young.at); // no barrier
  }), "younger object on a clean card");
}
TEST_F(VerifierDeath, ADirtyCardInACleanBundle) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) {
    Ref young = heap.leaf();
    heap.close_buffers();
    heap.set(heap.at(11), 2, young);
    *heap.heap().bundle_of(heap.at(11).at) = 0;
  }), "clean bundle");
}
TEST_F(VerifierDeath, AnObjectLargerThanItsRegion) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { store_word(heap.at(20).at, synthetic::make_type(synthetic::Shape::plain, 0, 3, 70 * KiB)); }), "does not fit its region");
}
TEST_F(VerifierDeath, AnObjectOfTheWrongSize) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { store_word(heap.at(20).at, synthetic::make_type(synthetic::Shape::plain, 0, 3, heap.host.size(heap.at(20)) - 8)); }), "not an object");
}
TEST_F(VerifierDeath, ABrokenTypeWord) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { store_word(heap.at(20).at, 0); }), "not an object");
}
TEST_F(VerifierDeath, AForwardingLeftInAHeader) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { store_word(header_of(heap.at(20)).at, forward_to(heap.at(20))); }), "forwarding left in a header");
}
TEST_F(VerifierDeath, ALabelThatDoesNotFitTheRole) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) { heap.heap().set_label(heap.heap().index_of(heap.at(20)), kLabelEden); }), "label does not fit");
}
TEST_F(VerifierDeath, ATopOutsideItsRegion) {
  EXPECT_DEATH(damaged([](SmallHeap& heap) {
    u32 index = heap.heap().index_of(heap.at(20));
    heap.heap().region(index).top.store_relaxed(heap.heap().end_of(index) + 64);
  }), "top outside region");
}

} // namespace
} // namespace garner::test
