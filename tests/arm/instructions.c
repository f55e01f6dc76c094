// A plugin for QEMU 7.2 that counts the instructions of a program and prints their number when the program ends.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// The parts of qemu-plugin.h that are needed here. Debian has no package with that file.
#define EXPORT __attribute__((visibility("default")))
typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *, enum qemu_plugin_op, void *, uint64_t);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);

EXPORT int qemu_plugin_version = 1;

static uint64_t count;

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &count, qemu_plugin_tb_n_insns(block));
}

static void ended(qemu_plugin_id_t id, void *data) { fprintf(stderr, "instructions: %ju\n", (uintmax_t)count); }

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int count_of_words, char **words) {
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
