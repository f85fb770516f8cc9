#if defined(__linux__)
#define _GNU_SOURCE
#include "functions.h"
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct faultline_scheduler *faultline_scheduler;
static __thread bool is_scheduled;

void faultline_set_scheduled(bool value) { is_scheduled = value; }
bool faultline_is_scheduled(void) { return is_scheduled; }

// MARK: Callers

struct range {
  unsigned long start, end;
};
static struct range executable, dispatch, foundation, concurrency;
static bool is_learning;
static unsigned long learnt[32];
static int learnt_count;

static bool is_in(struct range range, const void *address) {
  return (unsigned long)address >= range.start && (unsigned long)address < range.end;
}

static int note_image(struct dl_phdr_info *info, size_t size, void *context) {
  struct range range = {~0ul, 0};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD) continue;
    unsigned long start = info->dlpi_addr + part->p_vaddr;
    if (start < range.start) range.start = start;
    if (start + part->p_memsz > range.end) range.end = start + part->p_memsz;
  }
  if (is_in(range, (const void *)&note_image)) executable = range;
  if (strstr(info->dlpi_name, "/libdispatch.so")) dispatch = range;
  if (strstr(info->dlpi_name, "/libFoundation.so")) foundation = range;
  if (strstr(info->dlpi_name, "/libswift_Concurrency.so")) concurrency = range;
  return 0;
}

bool faultline_takes_call(const void *caller) { return is_scheduled && !is_in(dispatch, caller); }

bool faultline_is_of_tasks(const void *caller) { return is_in(concurrency, caller); }

void faultline_learn_callers(bool value) { is_learning = value; }

enum faultline_lock_call faultline_lock_call(const void *mutex, const void *caller) {
  if (!is_scheduled && !is_learning) return lock_call_passes;
  // The engine's own locks are of the kind that tries again a few times before it waits.
  if (mutex && ((const int *)mutex)[4] == PTHREAD_MUTEX_ADAPTIVE_NP) return lock_call_passes;
  unsigned long address = (unsigned long)caller;
  bool is_foundations = is_in(foundation, caller);
  if (is_learning) {
    if (is_foundations && learnt_count < 32) learnt[learnt_count++] = address;
    return lock_call_passes;
  }
  if (is_in(executable, caller)) return lock_call_asked;
  if (!is_foundations) return lock_call_passes;
  for (int i = 0; i < learnt_count; i++)
    if (learnt[i] == address) return lock_call_asked;
  return lock_call_internal;
}

// MARK: Queues

// Dispatch does not say how wide a queue is or what it goes on to. Both stand in the queue, and
// where they stand is found with queues that are known.
static int width_place, target_place;

unsigned faultline_width(void *queue) {
  return *(const unsigned *)((const char *)queue + width_place) & 0xffff;
}

void *faultline_target(void *queue) { return *(void **)((char *)queue + target_place); }

extern char _dispatch_queue_attr_concurrent, _dispatch_main_q;
extern void *dispatch_queue_create(const char *label, const void *attributes);
extern void *dispatch_queue_create_with_target(
    const char *label, const void *attributes, void *target);

extern const char *dispatch_queue_get_label(void *queue);
const char *faultline_label(void *queue) { return dispatch_queue_get_label(queue); }

extern void dispatch_retain(void *object);
extern void dispatch_release(void *object);
void faultline_retain(void *object) { dispatch_retain(object); }
void faultline_release(void *object) { dispatch_release(object); }

void *faultline_main_queue(void) { return &_dispatch_main_q; }

static void find_places(void) {
  enum { words = 24 };
  void *narrow = dispatch_queue_create("narrow", 0);
  void *wide = dispatch_queue_create("wide", &_dispatch_queue_attr_concurrent);
  void *aimed = dispatch_queue_create_with_target("aimed", 0, narrow);
  width_place = target_place = -1;
  for (int word = 0; word < words; word++) {
    const unsigned *one = (const unsigned *)narrow + word, *many = (const unsigned *)wide + word;
    if (width_place < 0 && (*one & 0xffff) == 1 && (*many & 0xffff) > 1000)
      width_place = word * (int)sizeof(unsigned);
    if (target_place < 0 && word % 2 == 0 && *(void **)((unsigned *)aimed + word) == narrow)
      target_place = word * (int)sizeof(unsigned);
  }
  if (width_place < 0 || target_place < 0) {
    fprintf(stderr, "this libdispatch has other queues than the explorer knows\n");
    abort();
  }
}

void faultline_take_over(const struct faultline_scheduler *scheduler) {
  dl_iterate_phdr(note_image, 0);
  find_places();
  faultline_scheduler = scheduler;
  faultline_take_over_functions();
}
#endif
