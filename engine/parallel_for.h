// Why: the one way to run a loop on several threads, so that errors come out the same for any
// number of threads and short loops do not pay for them.
#pragma once

#include <cstddef>

#include "base/loop_body.h"
#include "engine/thread_team.h"

namespace paretrain::engine {

// How long a call of a loop's body takes, learnt from loop to loop, so that short loops do not pay
// for waking threads up. Only the way of execution depends on it.
struct Pace {
  double seconds_per_call = 1;  // unknown at first, so a loop starts in parallel
};

// `pace` may be null.
void run_parallel(std::size_t count, ThreadTeam& team, LoopBody body, Pace* pace);

// Calls body(index) for every index below count, in any order, on the threads of the team, one
// index at a time. body must be pure but for the slot that belongs to its index.
// Errors: when calls throw, the exception of the lowest index is rethrown after all have ended.
template <class Body>
void parallel_for(std::size_t count, ThreadTeam& team, Body&& body) {
  run_parallel(count, team, loop_body(body), nullptr);
}

// The same for a loop that runs again and again: on one thread when all calls together are quicker
// than threads are woken up.
template <class Body>
void parallel_for(std::size_t count, ThreadTeam& team, Pace& pace, Body&& body) {
  run_parallel(count, team, loop_body(body), &pace);
}

}  // namespace paretrain::engine
