// Tells the thread sanitizer what a contended Synchronization.Mutex orders.
//
// On Linux the uncontended paths of the lock are compiled into its user, where the sanitizer sees them: a compare and
// exchange that acquires, and one that releases. The contended paths are in libswiftSynchronization.so, which is not
// instrumented, so that a thread that had to wait seems to enter without an order. These three take the place of those
// entry points, call them, and add the order that they have. Nothing else is said: an access beside the lock, or under
// another lock, is a race as before.
//
// It is linked into sanitized builds only; see scripts/sanitize.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

extern void __tsan_acquire(void *lock);
extern void __tsan_release(void *lock);

#define HANDLE "$s15Synchronization12_MutexHandleV"
#define LOCK HANDLE "9_lockSlowyys6UInt32VF"
#define TRY_LOCK HANDLE "12_tryLockSlowSbyF"
#define UNLOCK HANDLE "11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

typedef SWIFT void lock_function(uint32_t thread, SELF);
typedef SWIFT bool try_lock_function(SELF);
typedef SWIFT void unlock_function(SELF);

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static void *original(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) abort();
    return function;
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    ((lock_function *)original(LOCK))(thread, self);
    __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    bool is_locked = ((try_lock_function *)original(TRY_LOCK))(self);
    if (is_locked) __tsan_acquire(self);
    return is_locked;
}

SWIFT void unlock_slow(SELF) {
    __tsan_release(self);
    ((unlock_function *)original(UNLOCK))(self);
}
