/* A session as a harness is one: no shell. `session BEFORE WORD...` runs BEFORE by bash, then the
   words, in which @SHIMS@ stands for the first directory on PATH, and waits for them.
   `session BEFORE --without-argv FILE` executes the file with an argv of length zero. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *fill(const char *word, const char *shims) {
    const char *mark = "@SHIMS@";
    char *filled = calloc(1, (strlen(word) + 1) * (strlen(shims) + 1));
    for (const char *at; (at = strstr(word, mark)); word = at + strlen(mark)) {
        strncat(filled, word, (size_t)(at - word));
        strcat(filled, shims);
    }
    return strcat(filled, word);
}

static int run(char **words) {
    char *none[] = {0};
    pid_t child = fork();
    if (child == 0) {
        if (strcmp(words[0], "--without-argv") == 0)
            execve(words[1], none, environ);
        else
            execvp(words[0], words);
        _exit(99);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int count, char **words) {
    const char *path = getenv("PATH");
    char *shims = strndup(path, strcspn(path, ":"));
    if (*words[1])
        run((char *[]){"bash", "-c", words[1], 0});
    for (int i = 2; i < count; i++)
        words[i] = fill(words[i], shims);
    return run(words + 2);
}
