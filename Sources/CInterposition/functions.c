#if defined(__linux__)
#define _GNU_SOURCE
#include "functions.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
// A sanitizer takes the same functions over.
#define IS_SANITIZED 1
#endif
#endif

// MARK: Blocks and times

extern void *_Block_copy(const void *block);
extern void _Block_release(const void *block);
extern void *_NSConcreteGlobalBlock[32];

struct block {
  void *isa;
  int flags, reserved;
  void (*invoke)(void *block);
};

// The block of a work item carries flags, which are known from two work items that differ in one.
// Whether a block is one of those is told by its function, which is Dispatch's own.
static int flags_place;
static void (*item_function)(void *block);
enum { is_barrier_flag = 1 };

static bool is_barrier_item(const struct block *block) {
  return block->invoke == item_function &&
         (((const unsigned *)block)[flags_place] & is_barrier_flag);
}

// The work item that runs, which leaves a group of its own when it has.
static __thread const struct block *current_item;

static bool is_items_own(const void *group) {
  for (int word = sizeof(struct block) / sizeof(void *); current_item && word < 12; word++)
    if (((void *const *)current_item)[word] == group) return true;
  return false;
}

static void call_block(void *context) {
  const struct block *block = context, *outer = current_item;
  if (block->invoke == item_function) current_item = block;
  block->invoke(context);
  current_item = outer;
}

static void call_last(void *block) {
  call_block(block);
  _Block_release(block);
}

static void call_nth(void *block, unsigned long index) {
  ((void (*)(void *, unsigned long))((struct block *)block)->invoke)(block, index);
}

// Virtual times of Dispatch are told from those of the clock by where they begin.
static const uint64_t time_start = 1ull << 60;
// The time of day at which a run begins, the start of 2026 as for the engine, in nanoseconds.
static const uint64_t day_start = 1767225600ull * 1000000000ull;

// A time of Dispatch's as virtual time; a time of the day is told as a negative number.
static uint64_t until(uint64_t when) {
  if (when == ~0ull) return when;
  if (when == 0) return faultline_scheduler->now();
  if (when >> 63 == 0) return when >= time_start ? when - time_start : 0;
  uint64_t day = (uint64_t)-(int64_t)when;
  return day > day_start ? day - day_start : 0;
}

// How long it is until a time of the day.
static uint64_t left_until(const struct timespec *time) {
  uint64_t day = time->tv_sec * 1000000000ull + time->tv_nsec;
  uint64_t now = day_start + faultline_scheduler->now();
  return day > now ? day - now : 0;
}

// MARK: The functions

// Inside the scheduler nothing is taken over.
#define ASK(call) \
  (faultline_set_scheduled(false), (call), faultline_set_scheduled(true))

// Each function jumps to where its pointer leads: at first to the one that finds the library's own,
// then there, and under control to ours, `asked_NAME`, which is written below it.
#define FUNCTION(RESULT, NAME, PARAMETERS, ARGUMENTS)                     \
  typedef RESULT(*type_##NAME) PARAMETERS;                               \
  static RESULT find_##NAME PARAMETERS;                                  \
  static RESULT asked_##NAME PARAMETERS;                                 \
  static type_##NAME real_##NAME = find_##NAME;                          \
  static type_##NAME next_##NAME = find_##NAME;                          \
  static RESULT find_##NAME PARAMETERS {                                 \
    type_##NAME found = (type_##NAME)dlsym(RTLD_NEXT, #NAME);            \
    if (next_##NAME == real_##NAME) next_##NAME = found;                 \
    real_##NAME = found;                                                 \
    __attribute__((musttail)) return found ARGUMENTS;                    \
  }                                                                      \
  EXPORTED(RESULT, NAME, PARAMETERS, ARGUMENTS)                          \
  static RESULT asked_##NAME PARAMETERS

#if IS_SANITIZED
#define EXPORTED(RESULT, NAME, PARAMETERS, ARGUMENTS)
#else
#define EXPORTED(RESULT, NAME, PARAMETERS, ARGUMENTS)                     \
  __attribute__((visibility("default"))) RESULT NAME PARAMETERS {        \
    __attribute__((musttail)) return next_##NAME ARGUMENTS;              \
  }
#endif

#define PASSES_ON(NAME, ARGUMENTS) \
  if (!faultline_takes_call(__builtin_return_address(0))) return real_##NAME ARGUMENTS

// MARK: Dispatch queues

FUNCTION(void, dispatch_async, (void *queue, void *block), (queue, block)) {
  PASSES_ON(dispatch_async, (queue, block));
  ASK(faultline_scheduler->submit(
      queue, _Block_copy(block), call_last, is_barrier_item(block), 0));
}
FUNCTION(void, dispatch_async_f, (void *queue, void *context, faultline_work work),
         (queue, context, work)) {
  PASSES_ON(dispatch_async_f, (queue, context, work));
  if (faultline_is_of_tasks(__builtin_return_address(0))) {
    ASK(faultline_scheduler->submit_job(context, work, 0));
  } else {
    ASK(faultline_scheduler->submit(queue, context, work, false, 0));
  }
}
FUNCTION(void, dispatch_barrier_async, (void *queue, void *block), (queue, block)) {
  PASSES_ON(dispatch_barrier_async, (queue, block));
  ASK(faultline_scheduler->submit(queue, _Block_copy(block), call_last, true, 0));
}
FUNCTION(void, dispatch_barrier_async_f, (void *queue, void *context, faultline_work work),
         (queue, context, work)) {
  PASSES_ON(dispatch_barrier_async_f, (queue, context, work));
  ASK(faultline_scheduler->submit(queue, context, work, true, 0));
}
FUNCTION(void, dispatch_group_async, (void *group, void *queue, void *block),
         (group, queue, block)) {
  PASSES_ON(dispatch_group_async, (group, queue, block));
  ASK(faultline_scheduler->submit(
      queue, _Block_copy(block), call_last, is_barrier_item(block), group));
}
FUNCTION(void, dispatch_group_async_f,
         (void *group, void *queue, void *context, faultline_work work),
         (group, queue, context, work)) {
  PASSES_ON(dispatch_group_async_f, (group, queue, context, work));
  ASK(faultline_scheduler->submit(queue, context, work, false, group));
}
FUNCTION(void, dispatch_sync, (void *queue, void *block), (queue, block)) {
  PASSES_ON(dispatch_sync, (queue, block));
  ASK(faultline_scheduler->run(queue, block, call_block, is_barrier_item(block)));
}
FUNCTION(void, dispatch_sync_f, (void *queue, void *context, faultline_work work),
         (queue, context, work)) {
  PASSES_ON(dispatch_sync_f, (queue, context, work));
  ASK(faultline_scheduler->run(queue, context, work, false));
}
FUNCTION(void, dispatch_async_and_wait, (void *queue, void *block), (queue, block)) {
  PASSES_ON(dispatch_async_and_wait, (queue, block));
  ASK(faultline_scheduler->run(queue, block, call_block, is_barrier_item(block)));
}
FUNCTION(void, dispatch_barrier_sync, (void *queue, void *block), (queue, block)) {
  PASSES_ON(dispatch_barrier_sync, (queue, block));
  ASK(faultline_scheduler->run(queue, block, call_block, true));
}
FUNCTION(void, dispatch_barrier_sync_f, (void *queue, void *context, faultline_work work),
         (queue, context, work)) {
  PASSES_ON(dispatch_barrier_sync_f, (queue, context, work));
  ASK(faultline_scheduler->run(queue, context, work, true));
}
FUNCTION(void, dispatch_after, (uint64_t when, void *queue, void *block), (when, queue, block)) {
  PASSES_ON(dispatch_after, (when, queue, block));
  ASK(faultline_scheduler->submit_after(queue, _Block_copy(block), call_last, until(when)));
}
FUNCTION(void, dispatch_after_f,
         (uint64_t when, void *queue, void *context, faultline_work work),
         (when, queue, context, work)) {
  PASSES_ON(dispatch_after_f, (when, queue, context, work));
  if (faultline_is_of_tasks(__builtin_return_address(0))) {
    ASK(faultline_scheduler->submit_job(context, work, until(when)));
    return;
  }
  ASK(faultline_scheduler->submit_after(queue, context, work, until(when)));
}
FUNCTION(void, dispatch_apply, (unsigned long count, void *queue, void *block),
         (count, queue, block)) {
  PASSES_ON(dispatch_apply, (count, queue, block));
  ASK(faultline_scheduler->apply(count, block, call_nth));
}
FUNCTION(void, dispatch_suspend, (void *object), (object)) {
  PASSES_ON(dispatch_suspend, (object));
  ASK(faultline_scheduler->suspend(object, 1));
}
FUNCTION(void, dispatch_resume, (void *object), (object)) {
  PASSES_ON(dispatch_resume, (object));
  ASK(faultline_scheduler->suspend(object, -1));
}
FUNCTION(void, dispatch_activate, (void *object), (object)) {
  PASSES_ON(dispatch_activate, (object));
  ASK(faultline_scheduler->activate(object));
}

// MARK: Groups, work items, semaphores

FUNCTION(void, dispatch_group_enter, (void *group), (group)) {
  PASSES_ON(dispatch_group_enter, (group));
  ASK(faultline_scheduler->enter_group(group));
}
FUNCTION(void, dispatch_group_leave, (void *group), (group)) {
  if (is_items_own(group)) return real_dispatch_group_leave(group);
  PASSES_ON(dispatch_group_leave, (group));
  ASK(faultline_scheduler->leave_group(group));
}
FUNCTION(long, dispatch_group_wait, (void *group, uint64_t when), (group, when)) {
  PASSES_ON(dispatch_group_wait, (group, when));
  bool is_over;
  ASK(is_over = faultline_scheduler->wait_for_group(group, until(when)));
  return is_over ? 0 : 1;
}
FUNCTION(void, dispatch_group_notify, (void *group, void *queue, void *block),
         (group, queue, block)) {
  PASSES_ON(dispatch_group_notify, (group, queue, block));
  ASK(faultline_scheduler->notify_after_group(group, queue, _Block_copy(block), call_last));
}
FUNCTION(long, dispatch_block_wait, (void *block, uint64_t when), (block, when)) {
  PASSES_ON(dispatch_block_wait, (block, when));
  bool is_over;
  ASK(is_over = faultline_scheduler->wait_for_block(block, until(when)));
  return is_over ? 0 : 1;
}
FUNCTION(void, dispatch_block_cancel, (void *block), (block)) {
  if (faultline_takes_call(__builtin_return_address(0)))
    ASK(faultline_scheduler->look_at_block(block));
  real_dispatch_block_cancel(block);
}
FUNCTION(long, dispatch_block_testcancel, (void *block), (block)) {
  if (faultline_takes_call(__builtin_return_address(0)))
    ASK(faultline_scheduler->look_at_block(block));
  return real_dispatch_block_testcancel(block);
}
FUNCTION(void, dispatch_block_notify, (void *block, void *queue, void *next),
         (block, queue, next)) {
  PASSES_ON(dispatch_block_notify, (block, queue, next));
  ASK(faultline_scheduler->notify_after_block(block, queue, _Block_copy(next), call_last));
}
FUNCTION(long, dispatch_semaphore_wait, (void *semaphore, uint64_t when), (semaphore, when)) {
  PASSES_ON(dispatch_semaphore_wait, (semaphore, when));
  bool is_over;
  ASK(is_over = faultline_scheduler->wait_for_semaphore(semaphore, until(when)));
  return is_over ? 0 : 1;
}
FUNCTION(long, dispatch_semaphore_signal, (void *semaphore), (semaphore)) {
  PASSES_ON(dispatch_semaphore_signal, (semaphore));
  ASK(faultline_scheduler->signal_semaphore(semaphore));
  return 0;
}

// MARK: Timers

extern char _dispatch_source_type_timer;

FUNCTION(void *, dispatch_source_create,
         (const void *type, unsigned long handle, unsigned long mask, void *queue),
         (type, handle, mask, queue)) {
  void *source = real_dispatch_source_create(type, handle, mask, queue);
  if (!faultline_takes_call(__builtin_return_address(0))) return source;
  if (type == &_dispatch_source_type_timer) {
    ASK(faultline_scheduler->make_timer(source, queue));
  } else {
    ASK(faultline_scheduler->refuse("dispatch_source_create"));
  }
  return source;
}
FUNCTION(void, dispatch_source_set_timer,
         (void *source, uint64_t start, uint64_t interval, uint64_t leeway),
         (source, start, interval, leeway)) {
  PASSES_ON(dispatch_source_set_timer, (source, start, interval, leeway));
  ASK(faultline_scheduler->set_timer(source, until(start), interval));
}
FUNCTION(void, dispatch_source_set_event_handler, (void *source, void *block), (source, block)) {
  PASSES_ON(dispatch_source_set_event_handler, (source, block));
  ASK(faultline_scheduler->set_handler(source, block ? _Block_copy(block) : 0, call_block, false));
}
FUNCTION(void, dispatch_source_set_cancel_handler, (void *source, void *block), (source, block)) {
  PASSES_ON(dispatch_source_set_cancel_handler, (source, block));
  ASK(faultline_scheduler->set_handler(source, block ? _Block_copy(block) : 0, call_block, true));
}
FUNCTION(void, dispatch_source_cancel, (void *source), (source)) {
  real_dispatch_source_cancel(source);
  if (!faultline_takes_call(__builtin_return_address(0))) return;
  ASK(faultline_scheduler->cancel_source(source));
}

// MARK: What is made

// An address is used again for another object, of which nothing is known.
#define MAKER(NAME, PARAMETERS, ARGUMENTS)                                \
  FUNCTION(void *, NAME, PARAMETERS, ARGUMENTS) {                        \
    void *made = real_##NAME ARGUMENTS;                                  \
    if (faultline_takes_call(__builtin_return_address(0)))               \
      ASK(faultline_scheduler->made(made));                              \
    return made;                                                         \
  }
#define STARTER(NAME)                                                     \
  FUNCTION(int, NAME, (void *object, const void *attributes), (object, attributes)) { \
    if (faultline_is_scheduled()) ASK(faultline_scheduler->made(object)); \
    return real_##NAME(object, attributes);                              \
  }

MAKER(dispatch_semaphore_create, (long value), (value))
MAKER(dispatch_group_create, (void), ())
MAKER(dispatch_block_create, (unsigned long flags, void *block), (flags, block))
MAKER(dispatch_block_create_with_qos_class,
      (unsigned long flags, unsigned sort, int priority, void *block),
      (flags, sort, priority, block))
MAKER(dispatch_queue_create, (const char *label, const void *attributes), (label, attributes))
MAKER(dispatch_queue_create_with_target,
      (const char *label, const void *attributes, void *target), (label, attributes, target))
// Not for each lock of the engine's and of SQLite's, of which nothing is ever known.
FUNCTION(int, pthread_mutex_init, (void *mutex, const void *attributes), (mutex, attributes)) {
  int result = real_pthread_mutex_init(mutex, attributes);
  if (faultline_lock_call(mutex, __builtin_return_address(0)) != lock_call_passes)
    ASK(faultline_scheduler->made(mutex));
  return result;
}
STARTER(pthread_cond_init)
STARTER(pthread_rwlock_init)

// MARK: Locks

FUNCTION(int, pthread_mutex_lock, (void *mutex), (mutex)) {
  enum faultline_lock_call call = faultline_lock_call(mutex, __builtin_return_address(0));
  if (call == lock_call_passes) return real_pthread_mutex_lock(mutex);
  int result;
  ASK(result = faultline_scheduler->lock(mutex, call == lock_call_asked));
  return result;
}
FUNCTION(int, pthread_mutex_trylock, (void *mutex), (mutex)) {
  enum faultline_lock_call call = faultline_lock_call(mutex, __builtin_return_address(0));
  if (call == lock_call_passes) return real_pthread_mutex_trylock(mutex);
  int result;
  ASK(result = faultline_scheduler->try_lock(mutex, call == lock_call_asked));
  return result;
}
FUNCTION(int, pthread_mutex_unlock, (void *mutex), (mutex)) {
  enum faultline_lock_call call = faultline_lock_call(mutex, __builtin_return_address(0));
  if (call == lock_call_passes) return real_pthread_mutex_unlock(mutex);
  int result;
  ASK(result = faultline_scheduler->unlock(mutex, call == lock_call_asked));
  return result;
}
FUNCTION(int, pthread_cond_wait, (void *condition, void *mutex), (condition, mutex)) {
  if (faultline_lock_call(mutex, __builtin_return_address(0)) == lock_call_passes)
    return real_pthread_cond_wait(condition, mutex);
  ASK(faultline_scheduler->wait_for_condition(condition, mutex, ~0ull));
  return 0;
}
FUNCTION(int, pthread_cond_timedwait,
         (void *condition, void *mutex, const struct timespec *time), (condition, mutex, time)) {
  if (faultline_lock_call(mutex, __builtin_return_address(0)) == lock_call_passes)
    return real_pthread_cond_timedwait(condition, mutex, time);
  bool is_signalled;
  ASK(is_signalled =
          faultline_scheduler->wait_for_condition(condition, mutex, left_until(time)));
  return is_signalled ? 0 : ETIMEDOUT;
}
FUNCTION(int, pthread_cond_signal, (void *condition), (condition)) {
  if (faultline_lock_call(0, __builtin_return_address(0)) != lock_call_passes)
    ASK(faultline_scheduler->signal_condition(condition, false));
  return real_pthread_cond_signal(condition);
}
FUNCTION(int, pthread_cond_broadcast, (void *condition), (condition)) {
  if (faultline_lock_call(0, __builtin_return_address(0)) != lock_call_passes)
    ASK(faultline_scheduler->signal_condition(condition, true));
  return real_pthread_cond_broadcast(condition);
}
FUNCTION(int, pthread_rwlock_rdlock, (void *lock), (lock)) {
  if (faultline_lock_call(0, __builtin_return_address(0)) != lock_call_asked)
    return real_pthread_rwlock_rdlock(lock);
  int result;
  ASK(result = faultline_scheduler->lock_shared(lock, false));
  return result;
}
FUNCTION(int, pthread_rwlock_wrlock, (void *lock), (lock)) {
  if (faultline_lock_call(0, __builtin_return_address(0)) != lock_call_asked)
    return real_pthread_rwlock_wrlock(lock);
  int result;
  ASK(result = faultline_scheduler->lock_shared(lock, true));
  return result;
}
FUNCTION(int, pthread_rwlock_tryrdlock, (void *lock), (lock)) {
  return real_pthread_rwlock_tryrdlock(lock);
}
FUNCTION(int, pthread_rwlock_trywrlock, (void *lock), (lock)) {
  return real_pthread_rwlock_trywrlock(lock);
}
FUNCTION(int, pthread_rwlock_unlock, (void *lock), (lock)) {
  if (faultline_lock_call(0, __builtin_return_address(0)) != lock_call_asked)
    return real_pthread_rwlock_unlock(lock);
  int result;
  ASK(result = faultline_scheduler->unlock_shared(lock));
  return result;
}

// MARK: Threads and time

FUNCTION(int, pthread_create,
         (void *thread, const void *attributes, void *(*body)(void *), void *argument),
         (thread, attributes, body, argument)) {
  PASSES_ON(pthread_create, (thread, attributes, body, argument));
  int result;
  ASK(result = faultline_scheduler->start_thread(thread, attributes, body, argument));
  return result;
}
FUNCTION(int, pthread_join, (unsigned long thread, void **answer), (thread, answer)) {
  if (faultline_takes_call(__builtin_return_address(0)))
    ASK(faultline_scheduler->join_thread(thread));
  return real_pthread_join(thread, answer);
}
FUNCTION(int, nanosleep, (const struct timespec *time, struct timespec *left), (time, left)) {
  PASSES_ON(nanosleep, (time, left));
  ASK(faultline_scheduler->sleep(time->tv_sec * 1000000000ull + time->tv_nsec));
  if (left) *left = (struct timespec){0, 0};
  return 0;
}
FUNCTION(int, usleep, (unsigned microseconds), (microseconds)) {
  PASSES_ON(usleep, (microseconds));
  ASK(faultline_scheduler->sleep(microseconds * 1000ull));
  return 0;
}
FUNCTION(unsigned, sleep, (unsigned seconds), (seconds)) {
  PASSES_ON(sleep, (seconds));
  ASK(faultline_scheduler->sleep(seconds * 1000000000ull));
  return 0;
}
FUNCTION(int, sched_yield, (void), ()) {
  PASSES_ON(sched_yield, ());
  ASK(faultline_scheduler->sleep(0));
  return 0;
}
FUNCTION(uint64_t, dispatch_time, (uint64_t when, int64_t more), (when, more)) {
  PASSES_ON(dispatch_time, (when, more));
  if (when) return real_dispatch_time(when, more);
  uint64_t now;
  ASK(now = faultline_scheduler->now());
  return time_start + now + (uint64_t)more;
}

FUNCTION(uint64_t, dispatch_walltime, (const struct timespec *from, int64_t more), (from, more)) {
  PASSES_ON(dispatch_walltime, (from, more));
  if (from) return real_dispatch_walltime(from, more);
  uint64_t now;
  ASK(now = faultline_scheduler->now());
  return (uint64_t)-(int64_t)(day_start + now + (uint64_t)more);
}
FUNCTION(int, clock_gettime, (int clock, struct timespec *time), (clock, time)) {
  PASSES_ON(clock_gettime, (clock, time));
  // How much processor time was used is not a matter of the virtual clock.
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
    return real_clock_gettime(clock, time);
  uint64_t now;
  ASK(now = faultline_scheduler->now());
  now += clock == CLOCK_REALTIME ? day_start : time_start;
  *time = (struct timespec){now / 1000000000, now % 1000000000};
  return 0;
}
// The runtime sets the width of its own queues, on which nothing runs under control; Dispatch would
// start a thread for that.
FUNCTION(void, dispatch_queue_set_width, (void *queue, long width), (queue, width)) {
  PASSES_ON(dispatch_queue_set_width, (queue, width));
}

// MARK: What is refused

#define REFUSED(RESULT, NAME, PARAMETERS, ARGUMENTS)                      \
  FUNCTION(RESULT, NAME, PARAMETERS, ARGUMENTS) {                        \
    PASSES_ON(NAME, ARGUMENTS);                                          \
    ASK(faultline_scheduler->refuse(#NAME));                             \
    return real_##NAME ARGUMENTS;                                        \
  }

REFUSED(void *, dispatch_io_create,
        (unsigned long type, int file, void *queue, void *block), (type, file, queue, block))
REFUSED(void *, dispatch_io_create_with_path,
        (unsigned long type, const char *path, int flags, int mode, void *queue, void *block),
        (type, path, flags, mode, queue, block))
REFUSED(void, dispatch_read, (int file, unsigned long length, void *queue, void *block),
        (file, length, queue, block))
REFUSED(void, dispatch_write, (int file, void *data, void *queue, void *block),
        (file, data, queue, block))
REFUSED(void *, dispatch_workloop_create, (const char *label), (label))
REFUSED(int, socket, (int domain, int type, int protocol), (domain, type, protocol))
REFUSED(int, socketpair, (int domain, int type, int protocol, int *pair),
        (domain, type, protocol, pair))
REFUSED(int, select,
        (int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *time),
        (count, reads, writes, errors, time))
REFUSED(int, poll, (void *files, unsigned long count, int milliseconds),
        (files, count, milliseconds))
REFUSED(int, ppoll,
        (void *files, unsigned long count, const struct timespec *time, const void *signals),
        (files, count, time, signals))
REFUSED(int, epoll_wait, (int file, void *events, int count, int milliseconds),
        (file, events, count, milliseconds))
REFUSED(int, fork, (void), ())
REFUSED(int, posix_spawn,
        (int *process, const char *path, const void *actions, const void *attributes,
         char *const *arguments, char *const *environment),
        (process, path, actions, attributes, arguments, environment))
REFUSED(int, posix_spawnp,
        (int *process, const char *path, const void *actions, const void *attributes,
         char *const *arguments, char *const *environment),
        (process, path, actions, attributes, arguments, environment))
// A `Mutex` of Synchronization that another thread has is asked for from the kernel.
FUNCTION(long, syscall, (long number, long a, long b, long c, long d, long e, long f),
         (number, a, b, c, d, e, f)) {
  if (number == SYS_futex && faultline_takes_call(__builtin_return_address(0)))
    ASK(faultline_scheduler->refuse("futex, for a Mutex that another thread has,"));
  return real_syscall(number, a, b, c, d, e, f);
}

static void do_nothing(void *block) {}

static void learn_items(void) {
  static struct { unsigned long reserved, size; } layout = {0, sizeof(struct block) + sizeof(void *)};
  static struct { struct block block; void *layout; } plain;
  plain.block = (struct block){_NSConcreteGlobalBlock, 1 << 28, 0, do_nothing};
  plain.layout = &layout;
  struct block *one = real_dispatch_block_create(0, &plain);
  struct block *other = real_dispatch_block_create(is_barrier_flag, &plain);
  item_function = one->invoke;
  for (int word = sizeof(plain) / sizeof(unsigned); word < 24 && !flags_place; word++)
    if (((unsigned *)one)[word] == 0 && ((unsigned *)other)[word] == is_barrier_flag)
      flags_place = word;
  _Block_release(one);
  _Block_release(other);
  if (flags_place) return;
  fprintf(stderr, "this libdispatch has other work items than the explorer knows\n");
  abort();
}

void faultline_take_over_functions(void) {
#define TAKE(NAME) next_##NAME = asked_##NAME;
#define FIND(NAME) real_##NAME = (type_##NAME)dlsym(RTLD_NEXT, #NAME);
#define ALL(DO)                                                                               \
  DO(dispatch_async) DO(dispatch_async_f) DO(dispatch_barrier_async) DO(dispatch_barrier_async_f) \
  DO(dispatch_group_async) DO(dispatch_group_async_f) DO(dispatch_sync) DO(dispatch_sync_f)   \
  DO(dispatch_async_and_wait) DO(dispatch_barrier_sync) DO(dispatch_barrier_sync_f)           \
  DO(dispatch_after) DO(dispatch_after_f) DO(dispatch_apply) DO(dispatch_suspend)             \
  DO(dispatch_resume) DO(dispatch_activate) DO(dispatch_group_enter) DO(dispatch_group_leave) \
  DO(dispatch_group_wait) DO(dispatch_group_notify) DO(dispatch_block_wait)                   \
  DO(dispatch_block_notify) DO(dispatch_block_cancel) DO(dispatch_block_testcancel)          \
  DO(dispatch_semaphore_wait) DO(dispatch_semaphore_signal)         \
  DO(dispatch_source_create) DO(dispatch_source_set_timer)                                    \
  DO(dispatch_source_set_event_handler) DO(dispatch_source_set_cancel_handler)                \
  DO(dispatch_source_cancel) DO(pthread_mutex_lock) DO(pthread_mutex_trylock)                 \
  DO(pthread_mutex_unlock) DO(pthread_cond_wait) DO(pthread_cond_timedwait)                   \
  DO(pthread_cond_signal) DO(pthread_cond_broadcast) DO(pthread_rwlock_rdlock)                \
  DO(pthread_rwlock_wrlock) DO(pthread_rwlock_tryrdlock) DO(pthread_rwlock_trywrlock)         \
  DO(pthread_rwlock_unlock) DO(pthread_create) DO(pthread_join) DO(nanosleep) DO(usleep)      \
  DO(sleep) DO(sched_yield) DO(dispatch_time) DO(dispatch_walltime) DO(clock_gettime)                  \
  DO(dispatch_queue_set_width) DO(dispatch_semaphore_create) DO(dispatch_group_create)         \
  DO(dispatch_queue_create) DO(dispatch_queue_create_with_target) DO(pthread_mutex_init)      \
  DO(pthread_cond_init) DO(pthread_rwlock_init) DO(dispatch_io_create)                          \
  DO(dispatch_io_create_with_path) DO(dispatch_read) DO(dispatch_write)                       \
  DO(dispatch_workloop_create) DO(dispatch_block_create)                                        \
  DO(dispatch_block_create_with_qos_class) DO(socket) DO(socketpair) DO(select) DO(poll) DO(ppoll) \
  DO(epoll_wait) DO(fork) DO(posix_spawn) DO(posix_spawnp) DO(syscall)
  ALL(FIND)
  learn_items();
#if !IS_SANITIZED
  ALL(TAKE)
#endif
}

// MARK: The library's own functions

void faultline_real_run(void *queue, void *context, faultline_work work, bool is_barrier) {
  if (is_barrier) {
    real_dispatch_barrier_sync_f(queue, context, work);
  } else {
    real_dispatch_sync_f(queue, context, work);
  }
}
void faultline_real_enter_group(void *group) { real_dispatch_group_enter(group); }
void faultline_real_leave_group(void *group) { real_dispatch_group_leave(group); }
bool faultline_real_is_group_empty(void *group) { return real_dispatch_group_wait(group, 0) == 0; }
bool faultline_real_is_block_over(void *block) { return real_dispatch_block_wait(block, 0) == 0; }
bool faultline_real_take_semaphore(void *semaphore) {
  return real_dispatch_semaphore_wait(semaphore, 0) == 0;
}
void faultline_real_signal_semaphore(void *semaphore) {
  real_dispatch_semaphore_signal(semaphore);
}
int faultline_real_try_lock(void *mutex) { return real_pthread_mutex_trylock(mutex); }
int faultline_real_lock(void *mutex) { return real_pthread_mutex_lock(mutex); }
int faultline_real_unlock(void *mutex) { return real_pthread_mutex_unlock(mutex); }
int faultline_real_try_shared(void *lock, bool is_writer) {
  return is_writer ? real_pthread_rwlock_trywrlock(lock) : real_pthread_rwlock_tryrdlock(lock);
}
int faultline_real_unlock_shared(void *lock) { return real_pthread_rwlock_unlock(lock); }
int faultline_real_start_thread(
    void *thread, const void *attributes, void *(*body)(void *), void *argument) {
  return real_pthread_create(thread, attributes, body, argument);
}
void faultline_real_activate(void *object) { real_dispatch_activate(object); }
// The kind of a mutex stands in its fifth word.
bool faultline_is_error_checking(const void *mutex) { return (((const int *)mutex)[4] & 3) == 2; }

bool faultline_takes_over(void) {
#if IS_SANITIZED
  return false;
#else
  return true;
#endif
}
#endif
