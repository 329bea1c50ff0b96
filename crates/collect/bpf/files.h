/* This file finds the files that descriptors refer to. */
#ifndef WHITTLE_FILES_H
#define WHITTLE_FILES_H

#include "emit.h"
#include "sockets.h"

static __always_inline u32 kind_of_mode(u16 mode) {
    switch (mode & S_IFMT) {
    case 0100000: return FILE_REGULAR;
    case 0040000: return FILE_DIRECTORY;
    case 0140000: return FILE_SOCKET;
    case 0010000: return FILE_PIPE;
    case 0020000: return FILE_CHAR_DEVICE;
    case 0060000: return FILE_BLOCK_DEVICE;
    default: return FILE_ANONYMOUS;
    }
}

/* Finds the file that the current descriptor of `live` refers to at this moment. */
static __always_inline void look_up_file(struct task_struct *task, struct live *live, struct open_file *found) {
    u32 descriptor = live->descriptor;
    struct file **slots;
    struct inode *inode = 0;
    struct super_block *block = 0;
    u16 mode = 0;
    found->inode = 0;
    found->device = 0;
    found->kind = FILE_NONE;
    found->file = 0;
    struct files_struct *files = task->files;
    if (!files)
        return;
    struct fdtable *table = files->fdt;
    if (!table || descriptor >= table->max_fds)
        return;
    slots = table->fd;
    bpf_probe_read_kernel(&found->file, sizeof(found->file), slots + descriptor);
    if (!found->file)
        return;
    bpf_probe_read_kernel(&inode, sizeof(inode), &found->file->f_inode);
    bpf_probe_read_kernel(&mode, sizeof(mode), &inode->i_mode);
    bpf_probe_read_kernel(&found->inode, sizeof(found->inode), &inode->i_ino);
    bpf_probe_read_kernel(&block, sizeof(block), &inode->i_sb);
    bpf_probe_read_kernel(&found->device, sizeof(found->device), &block->s_dev);
    found->kind = kind_of_mode(mode);
    if (found->kind == FILE_SOCKET)
        tell_by_peer(found, live->call == CALL_CONNECT);
}

/* Finds the file of the thread's descriptor. Threads of a process share their descriptors, so another thread may have looked it
 * up already. */
static __always_inline void find_file(struct live *live, u32 generation) {
    struct task_struct *task = bpf_get_current_task_btf();
    u64 files = (u64)task->files;
    u32 index = (live->descriptor + (files >> 6)) & (KNOWN_FILES - 1);
    struct known_file *known = bpf_map_lookup_elem(&known_files, &index);
    if (!known)
        return;
    if (known->files != files || known->process_id != (u32)task->tgid || known->descriptor != live->descriptor ||
        known->generation != generation) {
        look_up_file(task, live, &known->file);
        known->files = files;
        known->process_id = task->tgid;
        known->descriptor = live->descriptor;
        /* A descriptor without a file can get one at any time. No generation is 0. */
        known->generation = known->file.kind == FILE_NONE ? 0 : generation;
    }
    live->file = known->file;
    live->file_generation = known->generation;
}

/* Looks up the file of the thread's descriptor again, if the descriptor may refer to another file. */
static __noinline int refresh_file(struct live *live) {
    if (!live)
        return 0;
    u32 generation = file_generation(live->descriptor);
    if (live->file_descriptor == live->descriptor && live->file_generation == generation)
        return 0;
    live->file_descriptor = live->descriptor;
    find_file(live, generation);
    return 0;
}

static __noinline int tell_file(u32 descriptor, struct open_file *found) {
    struct file_seen *seen = bpf_ringbuf_reserve(&records, sizeof(*seen), 0);
    if (!seen) {
        add_count(COUNT_DROPPED_RECORDS, 1);
        return 0;
    }
    fill(&seen->record, bpf_get_current_task_btf(), 0, RECORD_FILE);
    seen->inode = found->inode;
    seen->device = found->device;
    seen->file_kind = found->kind;
    seen->descriptor = descriptor;
    seen->reserved = 0;
    struct ends ends = {};
    if (found->kind == FILE_SOCKET)
        read_ends(found->file, &ends);
    seen->remote[0] = ends.remote[0];
    seen->remote[1] = ends.remote[1];
    seen->name[0] = 0;
    struct dentry *dentry = 0;
    const unsigned char *name = 0;
    bpf_probe_read_kernel(&dentry, sizeof(dentry), &found->file->f_path.dentry);
    if (dentry) {
        bpf_probe_read_kernel(&name, sizeof(name), &dentry->d_name.name);
        bpf_probe_read_kernel_str(seen->name, sizeof(seen->name), name);
    }
    bpf_ringbuf_submit(seen, 0);
    return 0;
}

#endif
