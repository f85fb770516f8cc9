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

// The number of the task whose job this is, which no later task gets.
__attribute__((swiftcall)) unsigned long long swift_task_getJobTaskId(void *job);

// An executor as the runtime passes it.
struct faultline_executor {
  const void *identity;
  const void *implementation;
};

// The executor that the running task is on, if any, and that of the main actor.
__attribute__((swiftcall)) struct faultline_executor swift_task_getCurrentExecutor(void);
__attribute__((swiftcall)) struct faultline_executor swift_task_getMainExecutor(void);

// The part of what the runtime knows of a loaded image that has its types: offsets to descriptors.
struct faultline_image {
  const void *version_and_base[2];
  const void *unused[2];
  const void *protocols[2];
  const void *conformances[2];
  const int *types;
  unsigned long types_length;
};

// Calls a function for each loaded image until it answers false.
void swift_enumerateAllMetadataSections(
    _Bool (*body)(const struct faultline_image *image, void *context), void *context);

// What describes a type, wherever it is declared; all but the flags are distances to what is meant.
struct faultline_type {
  unsigned flags;
  int parent;
  int name;
  int metadata;
};

// The description at an entry of an image's list if it is that of a class without parameters.
static inline const struct faultline_type *faultline_class(const int *entry) {
  const char *target = (const char *)entry + (*entry & ~3);
  if ((*entry & 3) > 1) return 0;
  if (*entry & 1) target = *(const char **)target;
  const struct faultline_type *type = (const struct faultline_type *)target;
  // The lowest bits of the flags say what is described, 16 being a class; bit 7 says it is generic.
  return type && (type->flags & 0x9f) == 16 ? type : 0;
}

// The name of a class, without that of its module.
static inline const char *faultline_class_name(const struct faultline_type *type) {
  return (const char *)&type->name + type->name;
}

// The class itself.
static inline const void *faultline_class_metadata(const struct faultline_type *type) {
  struct response { const void *metadata; unsigned long state; };
  typedef __attribute__((swiftcall)) struct response (*function)(unsigned long request);
  return ((function)((const char *)&type->metadata + type->metadata))(0).metadata;
}

#if defined(__linux__)
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
// How malloc takes memory.
#include <malloc.h>
// Where threads run: two that take turns hand over fastest on one processor.
#include <sched.h>
// Keeps the calling thread, with all that it starts, on a processor if it may use that one; answers
// which it could use before.
static inline cpu_set_t faultline_stay_on_processor(int processor) {
  cpu_set_t before, set;
  CPU_ZERO(&before);
  CPU_ZERO(&set);
  CPU_SET(processor < 0 ? 0 : processor, &set);
  sched_getaffinity(0, sizeof before, &before);
  sched_setaffinity(0, sizeof set, &set);
  return before;
}

// Lets the calling thread run on these processors.
static inline void faultline_run_on_processors(cpu_set_t set) {
  sched_setaffinity(0, sizeof set, &set);
}

// The processor that the calling thread runs on.
static inline int faultline_processor(void) { return sched_getcpu(); }

// C functions with a variable number of arguments, which Swift cannot call.
extern int faultline_prctl(int option, ...) __asm__("prctl");
extern long faultline_syscall(long number, ...) __asm__("syscall");
extern int faultline_fcntl(int file, int command, ...) __asm__("fcntl");
extern int faultline_memfd(const char *name, unsigned flags) __asm__("memfd_create");

// Makes the calling process the parent of every descendant that loses its own
// (PR_SET_CHILD_SUBREAPER).
static inline int faultline_adopt_orphans(void) { return faultline_prctl(36, 1L, 0L, 0L, 0L); }

// Closes the calling process's memory and descriptors to other processes of the same user
// (PR_SET_DUMPABLE).
static inline int faultline_refuse_inspection(void) { return faultline_prctl(4, 0L, 0L, 0L, 0L); }

// Has the system kill the calling process when the thread that started it ends (PR_SET_PDEATHSIG).
static inline int faultline_end_with_parent(void) { return faultline_prctl(1, 9L, 0L, 0L, 0L); }

// The path of the library that a function is in (dladdr); NULL if no library has it.
extern int faultline_address(const void *address, void *found) __asm__("dladdr");
extern void *faultline_symbol(void *library, const char *name) __asm__("dlsym");
static inline const char *faultline_library(const char *function) {
  struct found { const char *path; void *base; const char *symbol; void *address; };
  struct found found = {0, 0, 0, 0};
  void *address = faultline_symbol(0, function);
  return address && faultline_address(address, &found) ? found.path : 0;
}

// A descriptor of memory without a name (memfd_create), closed in programs that are started; -1
// where there is none.
static inline int faultline_make_memory(void) {
  return faultline_memfd("faultline", 3);
}

// Lets no process change the size of such memory (F_ADD_SEALS).
static inline int faultline_seal_size(int memory) {
  return faultline_fcntl(memory, 1033, 1 | 2 | 4);
}

// A descriptor that becomes readable when a process has ended (pidfd_open), -1 where there is none.
static inline int faultline_open_process(int process) {
  return (int)faultline_syscall(434L, (long)process, 0L);
}

// The C library's functions under names of our own: its headers would bring more along than this
// module may declare.
extern long faultline_read(
    int process, const void *here, unsigned long here_count, const void *there,
    unsigned long there_count, unsigned long flags) __asm__("process_vm_readv");
extern int faultline_process(void) __asm__("getpid");
// Where the running executable begins and ends, as the linker says; hidden, because each image has
// its own, and a linker refuses a place relative to one that another image could define.
extern const char faultline_start
    __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char faultline_end __asm__("_end") __attribute__((visibility("hidden")));

// Reads two words at an address; false if there is nothing to read.
static inline _Bool faultline_read_words(unsigned long address, unsigned long words[2]) {
  struct piece { void *start; unsigned long length; };
  struct piece here = {words, 2 * sizeof(unsigned long)};
  struct piece there = {(void *)address, 2 * sizeof(unsigned long)};
  return faultline_read(faultline_process(), &here, 1, &there, 1, 0) == (long)here.length;
}

// Writes where the calls of the running thread return to, the innermost first, at most so many;
// answers how many. After an asynchronous frame come the places at which the functions that await
// it continue, with the highest bit set.
static inline int faultline_stack(unsigned long *frames, int most) {
  const unsigned long asynchronous = 1ul << 60;
  unsigned long frame = (unsigned long)__builtin_frame_address(0);
  unsigned long words[2];
  int count = 0;
  while (count < most && frame && faultline_read_words(frame, words)) {
    if (words[0] & asynchronous) {
      unsigned long context[2];
      if (!faultline_read_words(frame - sizeof(long), context)) break;
      unsigned long next = context[0];
      while (count < most && next && faultline_read_words(next, context)) {
        frames[count++] = context[1] | 1ul << 63;
        next = context[0];
      }
      break;
    }
    frames[count++] = words[1];
    // A caller's frame lies above that of what it called.
    if (words[0] <= frame) break;
    frame = words[0];
  }
  return count;
}

// Where the running executable begins.
static inline unsigned long faultline_image_base(void) { return (unsigned long)&faultline_start; }

// How long it is.
static inline unsigned long faultline_image_length(void) {
  return (unsigned long)(&faultline_end - &faultline_start);
}
#endif
