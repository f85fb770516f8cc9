// What the functions that are taken over need of each other.
#pragma once
#include "interposition.h"

// What decides; set once.
extern const struct faultline_scheduler *faultline_scheduler;

// Whether a call is for the scheduler: its thread is scheduled, and Dispatch does not call itself.
bool faultline_takes_call(const void *caller);

// Whether a call is that of Swift's runtime for a task.
bool faultline_is_of_tasks(const void *caller);

// What a call for a lock is.
enum faultline_lock_call {
  // Of no interest: the engine's, the runtime's, or of a thread that is not scheduled.
  lock_call_passes,
  // Foundation's, for itself.
  lock_call_internal,
  // The application's, perhaps through a lock of Foundation's.
  lock_call_asked,
};
enum faultline_lock_call faultline_lock_call(const void *mutex, const void *caller);

// Lets every function ask the scheduler from now on.
void faultline_take_over_functions(void);
