/* A program that writes down everything it received. With a first argument that
 * begins with `@` it does one thing instead:
 *   @exit N        @die SIGNAL     @cat
 *   @run CMD...    a child, its status handed on      @become CMD...    execvp
 * It writes to descriptor 200 where that is open, else to standard output. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *text;
static size_t length, capacity;

static void room(size_t more) {
    while (length + more > capacity) {
        capacity = capacity ? capacity * 2 : 1 << 16;
        text = realloc(text, capacity);
        if (!text) _exit(99);
    }
}

static void put(const char *format, ...) {
    va_list list;
    room(512);
    va_start(list, format);
    length += vsnprintf(text + length, 512, format, list);
    va_end(list);
}

/* Printable bytes as they are, all others as \xNN: nothing is lost. */
static void bytes(const char *word) {
    static const char digit[] = "0123456789abcdef";
    for (; *word; word++) {
        unsigned char byte = *word;
        room(4);
        if (byte >= 0x20 && byte < 0x7f && byte != '\\') {
            text[length++] = byte;
        } else {
            text[length++] = '\\';
            text[length++] = 'x';
            text[length++] = digit[byte >> 4];
            text[length++] = digit[byte & 15];
        }
    }
}

static void words(const char *name, char **list) {
    for (int i = 0; list[i]; i++) {
        put("%s[%d]=", name, i);
        bytes(list[i]);
        put("\n");
    }
}

static void relation(const char *name, long id) {
    if (id == getpid()) put("%s self\n", name);
    else put("%s %ld\n", name, id);
}

static void descriptors(void) {
    for (int fd = 0; fd < 1024; fd++) {
        int flags = fcntl(fd, F_GETFD);
        if (flags < 0) continue;
        char link[64], target[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
        ssize_t n = readlink(link, target, sizeof target - 1);
        target[n < 0 ? 0 : n] = 0;
        put("fd %d flags %x status %x at %lld ", fd, flags, fcntl(fd, F_GETFL),
            (long long)lseek(fd, 0, SEEK_CUR));
        bytes(target);
        put("\n");
    }
}

static void signals(void) {
    sigset_t blocked, pending;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigpending(&pending);
    for (int s = 1; s < 65; s++) {
        struct sigaction act;
        if (sigaction(s, NULL, &act)) continue;
        put("signal %d %s%s%s flags %x\n", s,
            act.sa_handler == SIG_DFL ? "default" : act.sa_handler == SIG_IGN ? "ignored" : "caught",
            sigismember(&blocked, s) == 1 ? " blocked" : "",
            sigismember(&pending, s) == 1 ? " pending" : "", act.sa_flags);
    }
    stack_t stack;
    sigaltstack(NULL, &stack);
    put("signal stack %x\n", stack.ss_flags);
}

static void lines_of(const char *path, const char **wanted) {
    FILE *file = fopen(path, "re");
    char line[4096];
    if (!file) { put("%s: %d\n", path, errno); return; }
    while (fgets(line, sizeof line, file))
        for (const char **w = wanted; *w; w++)
            if (!strncmp(line, *w, strlen(*w))) { bytes(line); put("\n"); }
    fclose(file);
}

static void record(int argc, char **argv) {
    char cwd[8192];
    put("argc %d\n", argc);
    words("argv", argv);
    words("env", environ);
    descriptors();
    put("cwd ");
    if (getcwd(cwd, sizeof cwd)) bytes(cwd); else put("error %d", errno);
    mode_t mask = umask(0);
    put("\numask %o\n", (unsigned)mask);
    umask(mask);
    signals();
    put("ppid %d\n", getppid());
    relation("pgid", getpgid(0));
    relation("sid", getsid(0));
    put("nice %d\n", getpriority(PRIO_PROCESS, 0));
    for (int i = 0; i < RLIM_NLIMITS; i++) {
        struct rlimit limit;
        getrlimit(i, &limit);
        put("limit %d %llu %llu\n", i, (unsigned long long)limit.rlim_cur,
            (unsigned long long)limit.rlim_max);
    }
    int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (tty < 0) put("tty error %d\n", errno);
    else { relation("tty foreground", tcgetpgrp(tty)); close(tty); }
    struct itimerval timer;
    getitimer(ITIMER_REAL, &timer);
    put("alarm %s\n", timer.it_value.tv_sec || timer.it_value.tv_usec ? "set" : "none");
    put("personality %x\n", personality(0xffffffff));
    int death = 0;
    prctl(PR_GET_PDEATHSIG, &death);
    put("death signal %d, slack %ld, scheduler %d, io priority %ld\n", death,
        (long)prctl(PR_GET_TIMERSLACK), sched_getscheduler(0), syscall(SYS_ioprio_get, 1, 0));
    const char *status[] = {"Name:", "Uid:", "Gid:", "Groups:", "Cap", "NoNewPrivs:", "Seccomp:",
                            "Threads:", "Cpus_allowed:", "SigPnd:", "ShdPnd:", NULL};
    lines_of("/proc/self/status", status);
    const char *any[] = {"", NULL};
    lines_of("/proc/self/oom_score_adj", any);
    struct rusage children;
    getrusage(RUSAGE_CHILDREN, &children);
    put("children: %s, waited for: %s\n", waitpid(-1, NULL, WNOHANG) < 0 ? "none" : "some",
        children.ru_minflt ? "some" : "none");
}

static int run(char **argv) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        execvp(argv[0], argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0) return 98;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int copy(void) {
    static char block[1 << 16];
    ssize_t n;
    while ((n = read(0, block, sizeof block)) > 0)
        for (ssize_t at = 0, w; at < n; at += w)
            if ((w = write(1, block + at, n - at)) <= 0) return 97;
    return n < 0 ? 96 : 0;
}

int main(int argc, char **argv) {
    const char *act = argc > 1 ? argv[1] : "";
    if (!strcmp(act, "@exit")) return atoi(argv[2]);
    if (!strcmp(act, "@cat")) return copy();
    if (!strcmp(act, "@run")) return run(argv + 2);
    if (!strcmp(act, "@become")) { execvp(argv[2], argv + 2); return 127; }
    if (!strcmp(act, "@die")) { kill(getpid(), atoi(argv[2])); return 0; }
    record(argc, argv);
    int out = fcntl(200, F_GETFD) < 0 ? 1 : 200;
    for (size_t at = 0; at < length;) {
        ssize_t n = write(out, text + at, length - at);
        if (n <= 0) return 95;
        at += n;
    }
    return 0;
}
