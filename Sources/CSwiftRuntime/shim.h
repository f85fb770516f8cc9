// A function that the Swift runtime exports and Swift itself has no words for.
#pragma once

// Retains an object, unless its last reference is gone already; then the answer is NULL.
static inline const void *faultline_try_retain(const void *object) {
  extern void *swift_tryRetain(void *);
  return swift_tryRetain((void *)object);
}
