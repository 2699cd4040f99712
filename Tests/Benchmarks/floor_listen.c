// The least that taking requests costs: floor_listen PORT answers each POST with 201, until SIGTERM.
//
// One thread, epoll, and no more understanding of HTTP than finding the end of a request takes. It prints the time of
// the processor for each of them when it ends.
#define _GNU_SOURCE
#include "floor.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 1024, ROOM = 16384 };

static const char answer[] =
    "HTTP/1.1 201 Created\r\nDate: Tue, 01 Dec 2026 00:00:00 GMT\r\nTTL: 2419200\r\n"
    "Location: https://push.example.org/m/0123456789abcdefghijkl\r\nContent-Length: 0\r\n\r\n";

struct connection {
    int socket;
    size_t length;
    char octets[ROOM];
};

static volatile sig_atomic_t is_stopped;

static void stop(int signal) {
    (void)signal;
    is_stopped = 1;
}

// How long the request at the start of some octets is; 0 when its end is not there.
static size_t whole(const char *octets, size_t length) {
    const char *end = memmem(octets, length, "\r\n\r\n", 4);
    if (end == NULL) return 0;
    const char *field = memmem(octets, end - octets, "Content-Length:", 15);
    size_t all = end + 4 - octets + (field ? strtoul(field + 15, NULL, 10) : 0);
    return all <= length ? all : 0;
}

int main(int count, char **arguments) {
    if (count != 2) return fprintf(stderr, "usage: floor_listen PORT\n"), 64;
    struct sigaction action = {.sa_handler = stop};
    sigaction(SIGTERM, &action, NULL);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(atoi(arguments[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0), poll = epoll_create1(0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    require(bind(listener, (struct sockaddr *)&address, sizeof address) == 0, "taking the port");
    require(listen(listener, 256) == 0, "listening");
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    long requests = 0;
    double start = 0;
    while (!is_stopped) {
        struct epoll_event events[64];
        int ready = epoll_wait(poll, events, 64, -1);
        for (int i = 0; i < ready; i++) {
            struct connection *connection = events[i].data.ptr;
            if (connection == NULL) {
                connection = malloc(sizeof *connection);
                connection->socket = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                connection->length = 0;
                setsockopt(connection->socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                event = (struct epoll_event){.events = EPOLLIN, .data.ptr = connection};
                epoll_ctl(poll, EPOLL_CTL_ADD, connection->socket, &event);
                continue;
            }
            char *rest = connection->octets + connection->length;
            ssize_t got = recv(connection->socket, rest, ROOM - connection->length, 0);
            if (got <= 0) {
                if (got < 0 && errno == EAGAIN) continue;
                close(connection->socket);
                free(connection);
                continue;
            }
            connection->length += got;
            for (size_t length; (length = whole(connection->octets, connection->length)) > 0;) {
                if (requests++ == 0) start = processor_seconds();
                require(send(connection->socket, answer, sizeof answer - 1, MSG_NOSIGNAL) > 0, "answering");
                connection->length -= length;
                memmove(connection->octets, connection->octets + length, connection->length);
            }
        }
    }
    report(start, requests > 0 ? requests : 1);
    return 0;
}
