/* Calls of the system that are made again: see retry.h. */
#include "io/retry.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

int ph_retry_read(int fd, void *to, size_t size)
{
    for (size_t have = 0; have < size;) {
        ssize_t n = read(fd, (char *)to + have, size - have);
        if (n > 0)
            have += (size_t)n;
        else if (n == 0 || errno != EINTR)
            return 0;
    }
    return 1;
}

int ph_retry_write(int fd, const void *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)from + done, size - done);
        if (n >= 0)
            done += (size_t)n;
        else if (errno != EINTR)
            return 0;
    }
    return 1;
}

int ph_retry_wait(pid_t pid)
{
    int status = -1;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}
