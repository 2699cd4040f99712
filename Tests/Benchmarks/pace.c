// Sends requests at a fixed rate, whatever becomes of them: pace RATE SECONDS PORT FILE LENGTH SKIP
//
// Each request's time counts from the moment at which it was due, so that a server which stops for a while is charged
// for all who would have come meanwhile. Prints: requests, those not answered 201, and median, p99 and most in
// microseconds.
#define _GNU_SOURCE
#include "timed.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// As many keep-alive connections as a proxy keeps, and a way out for a server that is slow.
enum { MOST = 512, ANSWER = 2048 };

struct connection {
    int socket, length;
    long request;
    char answer[ANSWER];
};

static struct connection connections[MOST];
static int idle[MOST], idle_count, opened, epoll;
static struct sockaddr_in server;
static const char *requests;
static size_t request_length;

static void open_connection(void) {
    struct connection *connection = &connections[opened];
    connection->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(connection->socket, (struct sockaddr *)&server, sizeof server) != 0) fail("connect");
    int on = 1;
    setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = opened};
    epoll_ctl(epoll, EPOLL_CTL_ADD, connection->socket, &event);
    idle[idle_count++] = opened++;
}

static int by_size(const void *one, const void *other) {
    long long difference = *(const long long *)one - *(const long long *)other;
    return (difference > 0) - (difference < 0);
}

int main(int count, char **arguments) {
    if (count != 7) return fprintf(stderr, "usage: pace RATE SECONDS PORT FILE LENGTH SKIP\n"), 64;
    double rate = atof(arguments[1]);
    long number = rate * atof(arguments[2]), skip = atol(arguments[6]);
    server = (struct sockaddr_in){.sin_family = AF_INET,
                                  .sin_port = htons(atoi(arguments[3])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    request_length = atol(arguments[5]);
    int file = open(arguments[4], O_RDONLY);
    off_t size = lseek(file, 0, SEEK_END);
    if (size < (off_t)((skip + number) * request_length)) fail("there are too few requests in the file");
    requests = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (requests == MAP_FAILED) fail("mmap");
    requests += skip * request_length;
    epoll = epoll_create1(0);
    long long *due = malloc(number * sizeof *due), *taken = malloc(number * sizeof *taken);
    long sent = 0, answered = 0, other = 0;
    for (int i = 0; i < 16; i++) open_connection();
    long long start = now() + 10000000;
    for (long i = 0; i < number; i++) due[i] = start + (long long)(i * 1e9 / rate);
    while (answered < number) {
        long long time = now();
        while (sent < number && due[sent] <= time) {
            if (idle_count == 0 && opened < MOST) open_connection();
            if (idle_count == 0) break;
            struct connection *connection = &connections[idle[--idle_count]];
            connection->request = sent;
            connection->length = 0;
            if (send(connection->socket, requests + sent * request_length, request_length, MSG_NOSIGNAL) < 0)
                fail("send");
            sent++;
            time = now();
        }
        long long wait = sent < number && idle_count + MOST - opened > 0 ? due[sent] - time : 1000000000;
        if (wait < 0) wait = 0;
        struct timespec timeout = {.tv_sec = wait / 1000000000, .tv_nsec = wait % 1000000000};
        struct epoll_event events[64];
        int ready = epoll_pwait2(epoll, events, 64, &timeout, NULL);
        time = now();
        if (time > start + (long long)(number * 1e9 / rate) + 15000000000LL) fail("answers are missing");
        for (int i = 0; i < ready; i++) {
            struct connection *connection = &connections[events[i].data.u32];
            ssize_t got = recv(connection->socket, connection->answer + connection->length,
                               ANSWER - 1 - connection->length, 0);
            if (got <= 0) fail("a connection ended");
            connection->length += got;
            connection->answer[connection->length] = 0;
            char *end = strstr(connection->answer, "\r\n\r\n");
            char *length = strcasestr(connection->answer, "\r\nContent-Length:");
            if (end == NULL || connection->answer + connection->length < end + 4 + (length ? atol(length + 17) : 0))
                continue;
            if (strncmp(connection->answer, "HTTP/1.1 201", 12) != 0) other++;
            taken[answered++] = time - due[connection->request];
            idle[idle_count++] = events[i].data.u32;
        }
    }
    qsort(taken, number, sizeof *taken, by_size);
    printf("requests=%ld other=%ld median=%lld p99=%lld max=%lld\n", number, other, taken[number / 2] / 1000,
           taken[number * 99 / 100] / 1000, taken[number - 1] / 1000);
    return 0;
}
