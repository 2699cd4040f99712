// A TCP proxy that passes octets on after a while, in both directions: delay MILLISECONDS FROM_PORT TO_PORT
//
// It delays octets and not requests, as a long line does: HTTP/2's streams stay concurrent. Half of the time goes to
// each direction. At SIGTERM it prints how many connections it has taken.
#define _GNU_SOURCE
#include "timed.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 65536 };

struct chunk {
    long long due;
    struct chunk *next;
    size_t length;
    char octets[];
};

// What comes in on one socket and goes out on the other.
struct way {
    int from, to;
    struct chunk *first, *last;
    struct way *next;
};

static volatile sig_atomic_t is_stopped;
static long connections;
static struct way *ways;

static void stop(int signal) {
    (void)signal;
    is_stopped = 1;
}

static struct sockaddr_in address(int port) {
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static struct way *add(int poll, int from, int to) {
    struct way *way = calloc(1, sizeof *way);
    if (way == NULL) fail("memory");
    way->from = from;
    way->to = to;
    way->next = ways;
    ways = way;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = way};
    epoll_ctl(poll, EPOLL_CTL_ADD, from, &event);
    int on = 1;
    setsockopt(from, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return way;
}

static void take(int poll, struct way *way, long long delay) {
    static char octets[CHUNK];
    ssize_t length = recv(way->from, octets, sizeof octets, 0);
    if (length <= 0) {
        epoll_ctl(poll, EPOLL_CTL_DEL, way->from, NULL);
        length = 0;
    }
    struct chunk *chunk = malloc(sizeof *chunk + length);
    if (chunk == NULL) fail("memory");
    *chunk = (struct chunk){.due = now() + delay, .length = length};
    memcpy(chunk->octets, octets, length);
    if (way->last) way->last->next = chunk;
    else way->first = chunk;
    way->last = chunk;
}

// Sends what is due; the end of a stream is a chunk without octets. The sockets block: nobody here is slow to read.
static void pass(struct way *way, long long time) {
    while (way->first && way->first->due <= time) {
        struct chunk *chunk = way->first;
        if (chunk->length == 0) {
            shutdown(way->to, SHUT_WR);
        } else {
            for (size_t sent = 0; sent < chunk->length;) {
                ssize_t count = send(way->to, chunk->octets + sent, chunk->length - sent, MSG_NOSIGNAL);
                if (count < 0) break;
                sent += count;
            }
        }
        way->first = chunk->next;
        if (way->first == NULL) way->last = NULL;
        free(chunk);
    }
}

int main(int count, char **arguments) {
    if (count != 4) return fprintf(stderr, "usage: delay MILLISECONDS FROM_PORT TO_PORT\n"), 64;
    long long delay = atof(arguments[1]) * 1000000 / 2;
    struct sockaddr_in from = address(atoi(arguments[2])), to = address(atoi(arguments[3]));
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&from, sizeof from) != 0 || listen(listener, 64) != 0) fail("listen");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    while (!is_stopped) {
        long long due = -1, time = now();
        for (struct way *way = ways; way; way = way->next)
            if (way->first && (due < 0 || way->first->due < due)) due = way->first->due;
        long long wait = due < 0 ? 1000000000 : due > time ? due - time : 0;
        struct timespec timeout = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
        struct epoll_event events[64];
        int ready = epoll_pwait2(poll, events, 64, &timeout, NULL);
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr != NULL) {
                take(poll, events[i].data.ptr, delay);
                continue;
            }
            int near = accept(listener, NULL, NULL), far = socket(AF_INET, SOCK_STREAM, 0);
            if (near < 0 || connect(far, (struct sockaddr *)&to, sizeof to) != 0) fail("connect");
            connections++;
            add(poll, near, far);
            add(poll, far, near);
        }
        time = now();
        for (struct way *way = ways; way; way = way->next) pass(way, time);
    }
    printf("%ld\n", connections);
    return 0;
}
