/* Starts programs in a given state, as often as it is asked on standard input.
 *
 *   launcher STATE...              requests on standard input, answers on standard output
 *   launcher @pump BYTES CMD...    that many bytes through CMD's standard streams, compared
 *
 * A request: argc, environment's count, length of path (u32 each), path, then length
 * and bytes of each word. An answer: wait status, then length and bytes of what came
 * on descriptor 200, 1 and 2. A stopped program is killed and its stop is the status.
 *
 * Under any other name it is a version manager: it becomes the next program of its
 * own name on PATH that is not in its own directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

enum { RECORD = 200, PROTOCOL_IN = 210, PROTOCOL_OUT = 211, DEADLINE_MS = 20000 };

static void fail(const char *what) {
    dprintf(2, "launcher: %s: %s\n", what, strerror(errno));
    _exit(250);
}

static void must(int result, const char *what) {
    if (result < 0) fail(what);
}

static void place(int fd, int at) {
    if (fd == at) return;
    must(dup2(fd, at), "dup2");
    close(fd);
}

/* No byte more can be written below this directory. */
static void full(const char *directory) {
    char path[4096];
    static char block[4096];
    must(unshare(CLONE_NEWNS), "unshare");
    must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
    must(mount("none", directory, "tmpfs", 0, "size=16k,mode=0700"), "tmpfs");
    snprintf(path, sizeof path, "%s/filling", directory);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    must(fd, path);
    while (write(fd, block, sizeof block) > 0) {}
    if (errno != ENOSPC) fail("the disk is not full");
    close(fd);
}

/* One word of state and its operands; returns how many words were used. */
static int prepare(char **word) {
    const char *act = word[0];
#define IS(name) (!strcmp(act, name))
#define NUMBER(i) strtol(word[i], NULL, 0)
    if (IS("close")) return close(NUMBER(1)), 2;
    if (IS("open")) {
        int fd = open(word[2], O_RDWR | O_CREAT, 0600);
        must(fd, word[2]);
        return place(fd, NUMBER(1)), 3;
    }
    if (IS("seek")) return must(lseek(NUMBER(1), NUMBER(2), SEEK_SET), act), 3;
    if (IS("ignore")) return signal(NUMBER(1), SIG_IGN), 2;
    if (IS("block") || IS("pending")) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, NUMBER(1));
        sigprocmask(SIG_BLOCK, &set, NULL);
        if (IS("pending")) kill(getpid(), NUMBER(1));
        return 2;
    }
    if (IS("umask")) return umask(NUMBER(1)), 2;
    if (IS("nice")) return errno = 0, nice(NUMBER(1)), 2;
    if (IS("limit")) {
        struct rlimit limit = {NUMBER(2), NUMBER(2)};
        return must(setrlimit(NUMBER(1), &limit), act), 3;
    }
    if (IS("in")) return must(chdir(word[1]), word[1]), 2;
    if (IS("gone")) {
        must(mkdir(word[1], 0700), word[1]);
        must(chdir(word[1]), word[1]);
        return must(rmdir(word[1]), word[1]), 2;
    }
    if (IS("session")) return must(setsid(), act), 1;
    if (IS("group")) return must(setpgid(0, 0), act), 1;
    if (IS("user")) {
        must(setgroups(0, NULL), act);
        must(setresgid(NUMBER(1), NUMBER(1), NUMBER(1)), act);
        return must(setresuid(NUMBER(1), NUMBER(1), NUMBER(1)), act), 2;
    }
    if (IS("denied")) {
        if (open(word[1], O_WRONLY | O_CREAT, 0600) >= 0) fail("a plain open succeeded");
        return 2;
    }
    if (IS("full")) return full(word[1]), 2;
    if (IS("no-new-privileges")) return must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), act), 1;
    if (IS("death-signal")) return must(prctl(PR_SET_PDEATHSIG, NUMBER(1)), act), 2;
    if (IS("slack")) return must(prctl(PR_SET_TIMERSLACK, NUMBER(1)), act), 2;
    if (IS("alarm")) return alarm(NUMBER(1)), 2;
    if (IS("oom")) {
        int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
        must(write(fd, word[1], strlen(word[1])), act);
        return close(fd), 2;
    }
    if (IS("terminal")) return 1; /* done by the launcher itself */
    errno = EINVAL;
    fail(act);
    return 0;
}

static void terminal(void) {
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    must(master, "terminal");
    must(grantpt(master) | unlockpt(master), "terminal");
    must(setsid(), "setsid");
    int slave = open(ptsname(master), O_RDWR | O_CLOEXEC | O_NOCTTY);
    must(slave, "slave");
    must(ioctl(slave, TIOCSCTTY, 0), "controlling terminal");
}

static int all(int fd, void *data, size_t length, int in) {
    for (size_t at = 0; at < length;) {
        ssize_t n = in ? read(fd, (char *)data + at, length - at)
                       : write(fd, (char *)data + at, length - at);
        if (n <= 0) return -1;
        at += n;
    }
    return 0;
}

static char *word_in(void) {
    uint32_t length;
    if (all(PROTOCOL_IN, &length, sizeof length, 1)) exit(0);
    char *word = malloc((size_t)length + 1);
    if (!word || all(PROTOCOL_IN, word, length, 1)) exit(1);
    word[length] = 0;
    return word;
}

struct output { char *data; size_t length, capacity; };

/* What is there now. */
static void drain(int fd, struct output *out) {
    for (;;) {
        if (out->length == out->capacity) {
            out->capacity = out->capacity ? out->capacity * 2 : 1 << 16;
            out->data = realloc(out->data, out->capacity);
            if (!out->data) exit(1);
        }
        ssize_t n = read(fd, out->data + out->length, out->capacity - out->length);
        if (n <= 0) return;
        out->length += n;
    }
}

static void serve(int states, char **state) {
    sigset_t child_set, before;
    int pipes[3], targets[3] = {RECORD, 1, 2};
    for (int i = 0; i < states; i++)
        if (!strcmp(state[i], "terminal")) terminal();
    place(0, PROTOCOL_IN);
    place(1, PROTOCOL_OUT);
    must(open("/dev/null", O_RDONLY), "/dev/null");
    fcntl(PROTOCOL_IN, F_SETFD, FD_CLOEXEC);
    fcntl(PROTOCOL_OUT, F_SETFD, FD_CLOEXEC);
    for (int i = 0; i < 3; i++) {
        int ends[2];
        must(pipe2(ends, O_CLOEXEC), "pipe");
        pipes[i] = fcntl(ends[0], F_DUPFD_CLOEXEC, 220);
        int write_end = fcntl(ends[1], F_DUPFD_CLOEXEC, 240);
        close(ends[0]);
        close(ends[1]);
        place(write_end, targets[i]);
        fcntl(pipes[i], F_SETFL, O_NONBLOCK);
        fcntl(targets[i], F_SETPIPE_SZ, 1 << 20);
    }
    sigemptyset(&child_set);
    sigaddset(&child_set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_set, &before);
    int low = signalfd(-1, &child_set, SFD_CLOEXEC | SFD_NONBLOCK);
    int children = fcntl(low, F_DUPFD_CLOEXEC, 230);
    close(low);

    for (;;) {
        uint32_t argc, envc;
        if (all(PROTOCOL_IN, &argc, sizeof argc, 1)) exit(0);
        if (all(PROTOCOL_IN, &envc, sizeof envc, 1)) exit(1);
        char *path = word_in();
        char **argv = calloc(argc + 1, sizeof *argv), **env = calloc(envc + 1, sizeof *env);
        for (uint32_t i = 0; i < argc; i++) argv[i] = word_in();
        for (uint32_t i = 0; i < envc; i++) env[i] = word_in();
        struct output out[3] = {{0}};
        pid_t child = fork();
        if (child == 0) {
            sigprocmask(SIG_SETMASK, &before, NULL);
            for (int i = 0; i < states;) i += prepare(state + i);
            execve(path, argv, env);
            dprintf(2, "launcher: execve: %s\n", strerror(errno));
            _exit(251);
        }
        must(child, "fork");
        int status = 0, kept = 0, stopped = 0;
        for (int ended = 0; !ended;) {
            struct pollfd polled[4] = {{children, POLLIN, 0}, {pipes[0], POLLIN, 0},
                                       {pipes[1], POLLIN, 0}, {pipes[2], POLLIN, 0}};
            if (poll(polled, 4, DEADLINE_MS) == 0) {
                dprintf(2, "launcher: too slow\n");
                kill(child, SIGKILL);
            }
            struct signalfd_siginfo info;
            while (read(children, &info, sizeof info) > 0) {}
            while (waitpid(child, &status, WNOHANG | WUNTRACED) == child) {
                if (WIFSTOPPED(status)) {
                    stopped = 1;
                    kept = status;
                    kill(child, SIGKILL);
                } else {
                    ended = 1;
                    break;
                }
            }
            for (int i = 0; i < 3; i++) drain(pipes[i], &out[i]);
        }
        if (stopped) status = kept;
        all(PROTOCOL_OUT, &status, sizeof status, 0);
        for (int i = 0; i < 3; i++) {
            uint32_t length = out[i].length;
            all(PROTOCOL_OUT, &length, sizeof length, 0);
            all(PROTOCOL_OUT, out[i].data, length, 0);
            free(out[i].data);
        }
        for (uint32_t i = 0; i < argc; i++) free(argv[i]);
        for (uint32_t i = 0; i < envc; i++) free(env[i]);
        free(argv), free(env), free(path);
    }
}

static uint64_t next(uint64_t *seed) {
    return *seed = *seed * 6364136223846793005u + 1442695040888963407u;
}

static int pump(size_t bytes, char **argv) {
    static uint64_t block[8192], wanted[8192];
    int in[2], out[2], status;
    uint64_t seed = 1;
    must(pipe2(in, O_CLOEXEC), "pipe");
    must(pipe2(out, O_CLOEXEC), "pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        execv(argv[0], argv);
        fail("execv");
    }
    if (fork() == 0) {
        close(in[0]);
        close(out[0]);
        for (size_t at = 0; at < bytes; at += sizeof block) {
            for (int i = 0; i < 8192; i++) block[i] = next(&seed);
            if (all(in[1], block, sizeof block, 0)) _exit(1);
        }
        _exit(0);
    }
    close(in[0]);
    close(in[1]);
    close(out[1]);
    size_t seen = 0;
    while (!all(out[0], block, sizeof block, 1)) {
        for (int i = 0; i < 8192; i++) wanted[i] = next(&seed);
        if (memcmp(block, wanted, sizeof block)) return printf("differs after %zu\n", seen), 1;
        seen += sizeof block;
    }
    must(waitpid(child, &status, 0), "waitpid");
    printf("%zu bytes, status %d\n", seen, status);
    return 0;
}

static void manage(const char *name, char **argv) {
    char own[4096], path[4096];
    ssize_t n = readlink("/proc/self/exe", own, sizeof own - 1);
    own[n < 0 ? 0 : n] = 0;
    *strrchr(own, '/') = 0;
    char *list = strdup(getenv("PATH"));
    for (char *entry = strtok(list, ":"); entry; entry = strtok(NULL, ":")) {
        snprintf(path, sizeof path, "%s/%s", entry, name);
        if (strcmp(entry, own) && !access(path, X_OK)) execv(path, argv);
    }
    dprintf(2, "manager: no %s\n", name);
    _exit(127);
}

int main(int argc, char **argv) {
    const char *name = argc ? argv[0] : "";
    name = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    if (strncmp(name, "launcher", 8)) manage(name, argv);
    if (argc > 3 && !strcmp(argv[1], "@pump")) return pump(strtoul(argv[2], NULL, 0), argv + 3);
    serve(argc - 1, argv + 1);
    return 0;
}
