// Functions that the Swift runtime exports and Swift itself has no words for.
#pragma once

// Retains an object, unless its last reference is gone already; then the answer is NULL.
static inline const void *faultline_try_retain(const void *object) {
  extern void *swift_tryRetain(void *);
  return swift_tryRetain((void *)object);
}

// What the runtime tells of a stored property; the name is the runtime's own and stays.
struct faultline_field {
  const char *name;
  void (*free_name)(const char *);
  _Bool is_strong;
  _Bool is_variable;
};

// The stored properties of a class, inherited ones first: how many, the type and name of one, and
// where it stands in an instance. The reflection of the standard library is made of these three.
__attribute__((swiftcall)) long swift_reflectionMirror_recursiveCount(const void *type);
__attribute__((swiftcall)) const void *swift_reflectionMirror_recursiveChildMetadata(
    const void *type, long index, struct faultline_field *field);
__attribute__((swiftcall)) long swift_reflectionMirror_recursiveChildOffset(
    const void *type, long index);

// Runs a job of a task here and now, on no executor in particular.
__attribute__((swiftcall)) void swift_job_run(
    void *job, const void *identity, const void *implementation);

// An executor as the runtime passes it.
struct faultline_executor {
  const void *identity;
  const void *implementation;
};

#if defined(__linux__)
// Keeps the process on one processor, where threads that take turns hand over fastest.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
static inline int faultline_stay_on_one_processor(void) {
  int here = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(here < 0 ? 0 : here, &set);
  return sched_setaffinity(0, sizeof set, &set);
}
#endif
