// Kernel interfaces that Swift's Glibc module does not carry: epoll, eventfd and accept4.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>

// <sys/socket.h> declares accept4 only under _GNU_SOURCE, which Swift does not define when it imports C. The header is
// not included for it: the socket constants would move from the Glibc module to this one.
struct sockaddr;
extern int accept4(int, struct sockaddr *, unsigned int *, int);

// Accepts without asking for the client's address; `flags` hold from the connection's first moment on.
static inline int relay_accept(int listener, int flags) {
    return accept4(listener, 0, 0, flags);
}
