/* A cost of sending: after each datagram or segment of LEAST_BYTES and more that this process sends over IP, its thread
   works for COST_US microseconds of processor. Loaded (LD_PRELOAD) into Chromium's utility processes, of which the
   network service alone has such sockets; its other sends are of Mojo, over Unix sockets, and cost nothing.

   COUNT_FILE has two numbers of 64 bits: how many sends there were, and the least that one cost, ns of wall clock.
   All three are given to the compiler. A process that cannot keep the count ends at once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LEAST_BYTES 60

static struct {
  _Atomic uint64_t sends, least_ns;
} *count;
static ssize_t (*real_send)(int, const void *, size_t, int);
static ssize_t (*real_sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);

__attribute__((constructor)) static void begin(void) {
  int file = open(COUNT_FILE, O_RDWR | O_CLOEXEC);
  count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  real_send = dlsym(RTLD_NEXT, "send");
  real_sendto = dlsym(RTLD_NEXT, "sendto");
  if (file < 0 || count == MAP_FAILED || !real_send || !real_sendto) abort();
  close(file);
}

static uint64_t now_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000ull + now.tv_nsec;
}

static ssize_t worked(int socket, ssize_t sent) {
  int domain = 0, error = errno;
  socklen_t size = sizeof domain;
  if (sent < LEAST_BYTES || getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) ||
      (domain != AF_INET && domain != AF_INET6)) {
    errno = error;
    return sent;
  }
  uint64_t began = now_ns(CLOCK_MONOTONIC), until = now_ns(CLOCK_THREAD_CPUTIME_ID) + COST_US * 1000ull;
  while (now_ns(CLOCK_THREAD_CPUTIME_ID) < until) {
  }
  uint64_t took = now_ns(CLOCK_MONOTONIC) - began, least = count->least_ns;
  while ((!least || took < least) && !atomic_compare_exchange_weak(&count->least_ns, &least, took)) {
  }
  count->sends++;
  errno = error;
  return sent;
}

ssize_t send(int socket, const void *bytes, size_t size, int flags) {
  return worked(socket, real_send(socket, bytes, size, flags));
}

ssize_t sendto(int socket, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t to_size) {
  return worked(socket, real_sendto(socket, bytes, size, flags, to, to_size));
}
