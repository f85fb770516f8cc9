// Two functions that the Swift runtime exports and Swift itself has no words for.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Retains an object, unless its last reference is gone already; then the answer is NULL.
static inline const void *faultline_try_retain(const void *object) {
  extern void *swift_tryRetain(void *);
  return swift_tryRetain((void *)object);
}

// The name behind a mangled symbol, to be freed by the caller, or NULL.
static inline char *faultline_demangle(const char *name, size_t length) {
  extern char *swift_demangle(const char *, size_t, char *, size_t *, uint32_t);
  return swift_demangle(name, length, NULL, NULL, 0);
}
