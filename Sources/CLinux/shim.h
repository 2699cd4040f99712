// Kernel interfaces that Swift's Glibc module does not carry: epoll and eventfd.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
