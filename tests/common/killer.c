/* Preloaded: ends the process before its Nth change to the disk, N being in KILL_AT; the count of
   changes it would have made is the exit of nobody, so a run that ends by itself was the last. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static void step(void) {
    static long left = -1;
    if (left == -1) {
        const char *at = getenv("KILL_AT");
        left = at ? atol(at) : 0;
    }
    if (left > 0 && --left == 0)
        kill(getpid(), SIGKILL);
}

static void step_of(int fd) {
    struct stat found;
    if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode))
        step();
}

#define NEXT(name) __typeof__(&name) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

int unlink(const char *path) { NEXT(unlink); step(); return next(path); }
int rename(const char *from, const char *to) { NEXT(rename); step(); return next(from, to); }
int fsync(int fd) { NEXT(fsync); step(); return next(fd); }
int fdatasync(int fd) { NEXT(fdatasync); step(); return next(fd); }
int ftruncate(int fd, off_t size) { NEXT(ftruncate); step(); return next(fd, size); }
int ftruncate64(int fd, off64_t size) { NEXT(ftruncate64); step(); return next(fd, size); }
ssize_t write(int fd, const void *b, size_t n) { NEXT(write); step_of(fd); return next(fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t at) { NEXT(pwrite); step(); return next(fd, b, n, at); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t at) { NEXT(pwrite64); step(); return next(fd, b, n, at); }
