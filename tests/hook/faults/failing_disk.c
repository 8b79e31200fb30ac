/* A disk that fails at a chosen operation: preloaded, it counts the operations by which a process
   changes what lies beneath some folders, and spoils one of them, or all from one on.

   DISK_FOLDERS  the folders, parted by ':'
   DISK_AT       the number of the operation that fails; 0: none
   DISK_ERROR    the errno with which it fails; 0: the process is killed instead
   DISK_FOREVER  "1": every operation from there on fails
   DISK_FIRED    a file that is made when the first one fails; who finds it there goes unharmed,
                 so that of several processes one is hit. Not asked where DISK_FOREVER is "1"
   DISK_LOG      a file to which each operation is appended as `number name path`
   DISK_ONLY     an argument that a process must have to be meant by all this; empty: nobody is
                 meant who does not call disk_arm()

   A write that fails has written half of its bytes, as on a disk that fills up. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_FILES = 4096 };

static struct {
    pid_t process; /* a child that has not yet called exec shares this memory, and is not meant */
    char folders[4 * PATH_MAX];
    char fired[PATH_MAX];
    char log[PATH_MAX];
    long at;
    int error;
    int forever;
} disk;

static atomic_long operations;
static atomic_int has_failed;
static atomic_char is_ours[MOST_FILES]; /* open files that lie beneath the folders */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_beneath(const char *path) {
    char folders[sizeof disk.folders], *rest = NULL;
    strcpy(folders, disk.folders);
    for (char *folder = strtok_r(folders, ":", &rest); folder; folder = strtok_r(NULL, ":", &rest)) {
        size_t length = strlen(folder);
        if (!strncmp(path, folder, length) && (path[length] == '/' || !path[length])) return 1;
    }
    return 0;
}

/* The path that a call means, without asking whether it is there. */
static void absolute(int folder, const char *path, char *result) {
    char link[64];
    if (path[0] == '/') {
        snprintf(result, PATH_MAX, "%s", path);
        return;
    }
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    ssize_t length = readlink(link, result, PATH_MAX - 1);
    if (length < 0) length = 0;
    snprintf(result + length, PATH_MAX - length, "/%s", path);
}

static int is_watching(void) { return disk.process && disk.process == getpid(); }

static int may_fire(void) {
    if (disk.forever) return 1;
    if (atomic_load(&has_failed)) return 0;
    long file = syscall(SYS_openat, AT_FDCWD, disk.fired, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (file < 0) return 0;
    syscall(SYS_close, file);
    return 1;
}

/* Count one operation; whether it must fail. */
static int must_fail(const char *name, const char *path) {
    char line[PATH_MAX + 64];
    long number = atomic_fetch_add(&operations, 1) + 1;
    long log = syscall(SYS_openat, AT_FDCWD, disk.log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    int length = snprintf(line, sizeof line, "%ld %s %s\n", number, name, path);
    syscall(SYS_write, log, line, length);
    syscall(SYS_close, log);
    if (!disk.at || (disk.forever ? number < disk.at : number != disk.at) || !may_fire()) return 0;
    atomic_store(&has_failed, 1);
    return 1;
}

static int fail(void) {
    if (!disk.error) syscall(SYS_kill, getpid(), SIGKILL);
    errno = disk.error;
    return -1;
}

static int fails_at(const char *name, int folder, const char *path) {
    char full[PATH_MAX];
    if (!is_watching()) return 0;
    absolute(folder, path, full);
    return is_beneath(full) && must_fail(name, full);
}

static int is_watched_file(int file) {
    return is_watching() && file >= 0 && file < MOST_FILES && atomic_load(&is_ours[file]);
}

static int fails_in(const char *name, int file) {
    char link[64], path[PATH_MAX];
    if (!is_watched_file(file)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    path[length < 0 ? 0 : length] = 0;
    return must_fail(name, path);
}

static int note_opened(int file, int folder, const char *path) {
    char full[PATH_MAX];
    if (!is_watching() || file < 0 || file >= MOST_FILES) return file;
    absolute(folder, path, full);
    atomic_store(&is_ours[file], is_beneath(full));
    return file;
}

static void forget(int file) {
    if (is_watching() && file >= 0 && file < MOST_FILES) atomic_store(&is_ours[file], 0);
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

/* Start counting in this process, as its environment says. */
void disk_arm(void) {
    snprintf(disk.folders, sizeof disk.folders, "%s", setting("DISK_FOLDERS"));
    snprintf(disk.fired, sizeof disk.fired, "%s", setting("DISK_FIRED"));
    snprintf(disk.log, sizeof disk.log, "%s", setting("DISK_LOG"));
    disk.at = atol(setting("DISK_AT"));
    disk.error = atoi(setting("DISK_ERROR"));
    disk.forever = !strcmp(setting("DISK_FOREVER"), "1");
    disk.process = getpid();
    for (int file = 0; file < 3; file++) {
        char link[64], path[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, path, sizeof path - 1);
        path[length < 0 ? 0 : length] = 0;
        atomic_store(&is_ours[file], is_beneath(path));
    }
}

__attribute__((constructor)) static void arm_if_meant(void) {
    char arguments[65536];
    const char *only = setting("DISK_ONLY");
    if (!*only) return;
    long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY);
    long length = syscall(SYS_read, file, arguments, sizeof arguments - 1);
    syscall(SYS_close, file);
    arguments[length < 0 ? 0 : length] = 0;
    for (char *argument = arguments; argument < arguments + length; argument += strlen(argument) + 1)
        if (!strcmp(argument, only)) disk_arm();
}

/* Opening. A file that is opened to be read is nobody's business. */

#define MODE_OF(flags)                                    \
    mode_t mode = 0;                                      \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                \
        va_list rest;                                     \
        va_start(rest, flags);                            \
        mode = va_arg(rest, mode_t);                      \
        va_end(rest);                                     \
    }

#define IS_WRITING(flags) (((flags) & O_ACCMODE) != O_RDONLY || ((flags) & (O_CREAT | O_TRUNC)))

#define OPEN(name)                                                              \
    int name(const char *path, int flags, ...) {                                \
        MODE_OF(flags)                                                          \
        if (!IS_WRITING(flags)) return NEXT(name)(path, flags, mode);           \
        if (fails_at("open", AT_FDCWD, path)) return fail();                    \
        return note_opened(NEXT(name)(path, flags, mode), AT_FDCWD, path);      \
    }

#define OPENAT(name)                                                            \
    int name(int folder, const char *path, int flags, ...) {                    \
        MODE_OF(flags)                                                          \
        if (!IS_WRITING(flags)) return NEXT(name)(folder, path, flags, mode);   \
        if (fails_at("open", folder, path)) return fail();                      \
        return note_opened(NEXT(name)(folder, path, flags, mode), folder, path); \
    }

#define FOPEN(name)                                                             \
    FILE *name(const char *path, const char *mode) {                            \
        if (!strpbrk(mode, "wa+")) return NEXT(name)(path, mode);               \
        if (fails_at("open", AT_FDCWD, path)) return fail(), NULL;              \
        FILE *stream = NEXT(name)(path, mode);                                  \
        if (stream) note_opened(fileno(stream), AT_FDCWD, path);                \
        return stream;                                                          \
    }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
FOPEN(fopen)
FOPEN(fopen64)

/* What is done with an open file. */

ssize_t write(int file, const void *bytes, size_t count) {
    if (!fails_in("write", file)) return NEXT(write)(file, bytes, count);
    NEXT(write)(file, bytes, count / 2);
    return fail();
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    if (!fails_in("write", file)) return NEXT(writev)(file, parts, count);
    NEXT(writev)(file, parts, count / 2);
    return fail();
}

#define ON_FILE(result, name, word, parameters, ...)     \
    result name parameters {                             \
        if (fails_in(word, file)) return fail();         \
        return NEXT(name)(__VA_ARGS__);                  \
    }

ON_FILE(ssize_t, pwrite, "write", (int file, const void *bytes, size_t count, off_t at), file, bytes, count, at)
ON_FILE(ssize_t, pwrite64, "write", (int file, const void *bytes, size_t count, off64_t at), file, bytes, count, at)
ON_FILE(ssize_t, sendfile, "write", (int file, int from, off_t *at, size_t count), file, from, at, count)
ON_FILE(ssize_t, sendfile64, "write", (int file, int from, off64_t *at, size_t count), file, from, at, count)
ON_FILE(int, fsync, "fsync", (int file), file)
ON_FILE(int, fdatasync, "fsync", (int file), file)
ON_FILE(int, ftruncate, "truncate", (int file, off_t length), file, length)
ON_FILE(int, ftruncate64, "truncate", (int file, off64_t length), file, length)
ON_FILE(int, fchmod, "chmod", (int file, mode_t mode), file, mode)

int close(int file) {
    int fails = fails_in("close", file);
    forget(file);
    int result = NEXT(close)(file);
    return fails ? fail() : result;
}

int fclose(FILE *stream) {
    int file = fileno(stream), fails = fails_in("close", file);
    forget(file);
    int result = NEXT(fclose)(stream);
    return fails ? fail() : result;
}

/* What is done with names. */

#define ON_NAME(name, word, folder, path, parameters, ...)       \
    int name parameters {                                        \
        if (fails_at(word, folder, path)) return fail();         \
        return NEXT(name)(__VA_ARGS__);                          \
    }

ON_NAME(mkdir, "mkdir", AT_FDCWD, path, (const char *path, mode_t mode), path, mode)
ON_NAME(mkdirat, "mkdir", folder, path, (int folder, const char *path, mode_t mode), folder, path, mode)
ON_NAME(rmdir, "rmdir", AT_FDCWD, path, (const char *path), path)
ON_NAME(unlink, "unlink", AT_FDCWD, path, (const char *path), path)
ON_NAME(unlinkat, "unlink", folder, path, (int folder, const char *path, int flags), folder, path, flags)
ON_NAME(truncate, "truncate", AT_FDCWD, path, (const char *path, off_t length), path, length)
ON_NAME(chmod, "chmod", AT_FDCWD, path, (const char *path, mode_t mode), path, mode)
ON_NAME(rename, "rename", AT_FDCWD, to, (const char *from, const char *to), from, to)
ON_NAME(renameat, "rename", to_folder, to, (int folder, const char *from, int to_folder, const char *to), folder, from, to_folder, to)
ON_NAME(link, "link", AT_FDCWD, to, (const char *from, const char *to), from, to)
ON_NAME(linkat, "link", to_folder, to, (int folder, const char *from, int to_folder, const char *to, int flags), folder, from, to_folder, to, flags)
ON_NAME(symlink, "link", AT_FDCWD, path, (const char *target, const char *path), target, path)
