/*
 * The lower bound: returns each packet, one connected socket a call, in C. A turn each millisecond, like the media
 * worker: epoll reports which sockets have packets; each packet costs one recv and one send.
 *
 *     echo FIRST_PORT PEER...     prints the ports, one a line, then echoes until it is killed
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_MAX 1024
#define PACKET_BYTES 65536

static char packet[PACKET_BYTES];

static struct sockaddr_in loopback(int port) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/* Binds the first free port from *port on, and connects to the peer. */
static int open_call(int *port, int peer) {
  int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  for (;; (*port)++) {
    struct sockaddr_in own = loopback(*port);
    if (bind(fd, (struct sockaddr *)&own, sizeof own) == 0) break;
  }
  struct sockaddr_in other = loopback(peer);
  if (connect(fd, (struct sockaddr *)&other, sizeof other) != 0) exit(1);
  printf("%d\n", (*port)++);
  return fd;
}

static void echo_packets(int epoll) {
  static struct epoll_event events[EVENTS_MAX];
  for (int ready; (ready = epoll_wait(epoll, events, EVENTS_MAX, 0)) > 0;) {
    for (int i = 0; i < ready; i++) {
      ssize_t length = recv(events[i].data.fd, packet, PACKET_BYTES, MSG_DONTWAIT);
      if (length >= 0) send(events[i].data.fd, packet, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
  }
}

int main(int count, char **arguments) {
  int port = atoi(arguments[1]);
  int epoll = epoll_create1(0);
  for (int i = 2; i < count; i++) {
    struct epoll_event event = {.events = EPOLLIN};
    event.data.fd = open_call(&port, atoi(arguments[i]));
    epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
  }
  fflush(stdout);
  struct timespec millisecond = {.tv_nsec = 1000000};
  for (;;) {
    echo_packets(epoll);
    nanosleep(&millisecond, NULL);
  }
}
