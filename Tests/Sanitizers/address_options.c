// What every program under the address sanitizer starts with, the relay that a test runs among them: that one has only
// the environment that the test gives it. Leaks are left to the tests that measure memory.
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_leaks=0"; }
