// Functions of Dispatch and of the C library that this executable defines itself, so that a
// scheduler can take them over without a change to the code that calls them.
//
// A shared library looks for a function in the executable first. Ours hands each call on to the
// library's own function, with one load and a jump, until a scheduler takes over. From then on a
// call of a thread that the scheduler runs goes to the scheduler, and every other call goes on to
// the library.
#pragma once

#if defined(__linux__)
#include <stdbool.h>
#include <stdint.h>

// Work as Dispatch takes it from C; a block becomes one.
typedef void (*faultline_work)(void *context);

// What a scheduler does in the place of the functions. Times are virtual nanoseconds, the largest
// number stands for no limit; an answer of false means that the time was up.
struct faultline_scheduler {
  // An object of Dispatch's, a lock or a condition is made.
  void (*made)(void *object);

  // Dispatch queues: a block is put on one, perhaps after a time; or runs inside one before the call
  // returns.
  void (*submit)(void *queue, void *context, faultline_work work, bool is_barrier, void *group);
  void (*submit_after)(void *queue, void *context, faultline_work work, uint64_t until);
  // A job of a task goes on, perhaps after a time.
  void (*submit_job)(void *context, faultline_work work, uint64_t until);
  void (*run)(void *queue, void *context, faultline_work work, bool is_barrier);
  void (*apply)(unsigned long count, void *context, void (*work)(void *context, unsigned long));
  // Work is held back by 1, let go on by -1.
  void (*suspend)(void *object, int change);
  void (*activate)(void *object);

  void (*enter_group)(void *group);
  void (*leave_group)(void *group);
  bool (*wait_for_group)(void *group, uint64_t until);
  void (*notify_after_group)(void *group, void *queue, void *context, faultline_work work);
  bool (*wait_for_block)(void *block, uint64_t until);
  void (*look_at_block)(void *block);
  void (*notify_after_block)(void *block, void *queue, void *context, faultline_work work);
  bool (*wait_for_semaphore)(void *semaphore, uint64_t until);
  void (*signal_semaphore)(void *semaphore);

  // Locks; the answers are the C library's. Only the application's own calls are `is_asked`.
  int (*lock)(void *mutex, bool is_asked);
  int (*try_lock)(void *mutex, bool is_asked);
  int (*unlock)(void *mutex, bool is_asked);
  bool (*wait_for_condition)(void *condition, void *mutex, uint64_t nanoseconds);
  void (*signal_condition)(void *condition, bool is_broadcast);
  int (*lock_shared)(void *lock, bool is_writer);
  int (*unlock_shared)(void *lock);

  int (*start_thread)(void *thread, const void *attributes, void *(*body)(void *), void *argument);
  void (*join_thread)(unsigned long thread);
  void (*sleep)(uint64_t nanoseconds);

  // Sources that are timers; every other sort is refused.
  void (*make_timer)(void *source, void *queue);
  void (*set_timer)(void *source, uint64_t start, uint64_t interval);
  void (*set_handler)(void *source, void *context, faultline_work work, bool is_for_end);
  void (*cancel_source)(void *source);

  uint64_t (*now)(void);
  // A function was called that nothing here stands for.
  void (*refuse)(const char *name);
};

// Gives the process to a scheduler, for good.
void faultline_take_over(const struct faultline_scheduler *scheduler);

// Whether the calling thread's calls go to the scheduler; false at first, and inside the scheduler.
void faultline_set_scheduled(bool is_scheduled);
bool faultline_is_scheduled(void);

// Says that a lock of Foundation's is asked for from here, so that its addresses become known.
void faultline_learn_callers(bool is_learning);

// How many blocks of a queue may run at a time, and the queue that its blocks go on to, if any.
unsigned faultline_width(void *queue);
void *faultline_target(void *queue);
const char *faultline_label(void *queue);

// Whether functions are taken over in this build: not where a sanitizer does that.
bool faultline_takes_over(void);

// The library's own functions.
void faultline_real_run(void *queue, void *context, faultline_work work, bool is_barrier);
void faultline_real_enter_group(void *group);
void faultline_real_leave_group(void *group);
bool faultline_real_is_group_empty(void *group);
bool faultline_real_is_block_over(void *block);
bool faultline_real_take_semaphore(void *semaphore);
void faultline_real_signal_semaphore(void *semaphore);
int faultline_real_try_lock(void *mutex);
int faultline_real_lock(void *mutex);
int faultline_real_unlock(void *mutex);
int faultline_real_try_shared(void *lock, bool is_writer);
int faultline_real_unlock_shared(void *lock);
int faultline_real_start_thread(
    void *thread, const void *attributes, void *(*body)(void *), void *argument);
void faultline_real_activate(void *object);
bool faultline_is_error_checking(const void *mutex);
void *faultline_main_queue(void);
void faultline_retain(void *object);
void faultline_release(void *object);
#endif
