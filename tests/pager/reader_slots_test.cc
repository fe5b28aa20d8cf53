#include "pager/reader_slots.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pager/state.h"

namespace kvsql::pager {
namespace {

TEST(ReaderSlotsTest, HeldAreTheLiveStatesInSlots) {
  State a;
  State b;
  ReaderSlots slots;
  ReaderSlot* one = slots.Acquire();
  ReaderSlot* two = slots.Acquire();
  slots.Acquire();
  std::atomic<const State*> current{&a};
  EXPECT_EQ(one->Arm(current), &a);
  EXPECT_EQ(two->Arm(current), &a);
  std::vector<const State*> live = {&a, &b};
  std::sort(live.begin(), live.end());
  std::vector<const State*> held;
  slots.CollectHeld(live, &held);
  EXPECT_EQ(held, (std::vector<const State*>{&a, &a}));
  two->Disarm();
  held.clear();
  slots.CollectHeld(live, &held);
  EXPECT_EQ(held, std::vector<const State*>{&a});
}

// A reader that was held up between its load and its store names a state that has been freed meanwhile.
TEST(ReaderSlotsTest, AStateThatIsGoneIsNotHeld) {
  State gone;
  State now;
  ReaderSlots slots;
  ReaderSlot* slot = slots.Acquire();
  slot->state.store(&gone);
  std::vector<const State*> held;
  slots.CollectHeld({&now}, &held);
  EXPECT_TRUE(held.empty());
  // It looks again.
  const std::atomic<const State*> current{&now};
  EXPECT_EQ(slot->Arm(current), &now);
  slots.CollectHeld({&now}, &held);
  EXPECT_EQ(held, std::vector<const State*>{&now});
}

}  // namespace
}  // namespace kvsql::pager
