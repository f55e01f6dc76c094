/* A UCI engine for tests. On "go" it starts a child process, and writes to probe.txt whether it has a console window and
   a child. It never exits by itself. With the arguments "detached COMMAND", it starts a command without a console, as a
   GUI does. */
#include <stdio.h>
#include <string.h>
#include <windows.h>

static HANDLE start(char *command, DWORD flags) {
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION process = {0};
    CreateProcessA(NULL, command, NULL, NULL, FALSE, flags, NULL, NULL, &start, &process);
    return process.hProcess;
}

int main(int count, char **words) {
    if (count > 2 && !strcmp(words[1], "detached")) {
        start(words[2], DETACHED_PROCESS);
    }
    if (count > 1) {
        Sleep(INFINITE);
    }
    char command[2 * MAX_PATH];
    snprintf(command, sizeof command, "\"%s\" child", words[0]);
    char line[65536];
    setvbuf(stdout, NULL, _IONBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\r\n")] = 0;
        if (!strcmp(line, "uci")) {
            printf("id name Probe\noption name MultiPV type spin default 1 min 1 max 500\nuciok\n");
        } else if (!strcmp(line, "isready")) {
            printf("readyok\n");
        } else if (!strncmp(line, "go", 2)) {
            HANDLE child = start(command, 0);
            FILE *note = fopen("probe.txt", "w");
            fprintf(note, "%s, %s\n", GetConsoleWindow() ? "a window" : "no window", child ? "a child" : "no child");
            fclose(note);
        }
    }
    Sleep(INFINITE);
}
