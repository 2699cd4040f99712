// What the programs of the floor have in common: the processor's time that one operation takes.
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static inline double processor_seconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

// Prints microseconds of the process, user and system together, for each of `count` operations since `start`.
static inline void report(double start, long count) {
    printf("%.2f\n", (processor_seconds() - start) * 1e6 / count);
}

static inline void require(int condition, const char *what) {
    if (condition) return;
    fprintf(stderr, "floor: this failed: %s\n", what);
    exit(1);
}
