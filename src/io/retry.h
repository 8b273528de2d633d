/* Calls of the system that a signal may interrupt, or that take a part at a time: again, until they are done. */
#ifndef PH_IO_RETRY_H
#define PH_IO_RETRY_H

#include <stddef.h>
#include <sys/types.h>

int ph_retry_read(int fd, void *to,
                  size_t size); /* 0: the end came before, or it failed, and errno says why */
int ph_retry_write(int fd, const void *from, size_t size); /* 0: it failed, and errno says why */
int ph_retry_wait(pid_t pid); /* the status of waitpid; -1: there is no such child */

#endif
