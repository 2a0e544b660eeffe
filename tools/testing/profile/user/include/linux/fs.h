/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files in /proc. As in the kernel, the removal of an entry waits for calls
 * that are in it and closes what is open; later calls get an error.
 */
#ifndef SHIM_LINUX_FS_H
#define SHIM_LINUX_FS_H

#include <linux/mutex.h>
#include <linux/slab.h>

struct proc_dir_entry;

struct inode {
	struct proc_dir_entry *entry;
	struct mutex lock;	/* guards the size */
	loff_t size;
};

struct file {
	struct inode *inode;
	void *private_data;
	loff_t pos;
	bool released;
	struct file *next;	/* of those that have the entry open */
};

struct proc_ops {
	int (*proc_open)(struct inode *inode, struct file *file);
	ssize_t (*proc_read)(struct file *file, char *ubuf, size_t count,
			     loff_t *pos);
	ssize_t (*proc_write)(struct file *file, const char *ubuf,
			      size_t count, loff_t *pos);
	loff_t (*proc_lseek)(struct file *file, loff_t offset, int whence);
	int (*proc_release)(struct inode *inode, struct file *file);
};

static inline struct inode *file_inode(const struct file *file)
{
	return file->inode;
}

static inline void inode_lock(struct inode *inode)
{
	mutex_lock(&inode->lock);
}

static inline void inode_unlock(struct inode *inode)
{
	mutex_unlock(&inode->lock);
}

static inline void i_size_write(struct inode *inode, loff_t size)
{
	shim_assert(lockdep_is_held(&inode->lock), "the inode is locked");
	WRITE_ONCE(inode->size, size);
}

loff_t default_llseek(struct file *file, loff_t offset, int whence);

struct proc_dir_entry *proc_create_data(const char *name, mode_t mode,
					struct proc_dir_entry *parent,
					const struct proc_ops *ops,
					void *data);
void proc_set_size(struct proc_dir_entry *entry, loff_t size);
void proc_remove(struct proc_dir_entry *entry);
void *pde_data(const struct inode *inode);

/* ---- Text files --------------------------------------------------------- */

struct seq_file {
	void *private;
	int (*show)(struct seq_file *m, void *v);
	char text[256];
	size_t len;
};

int single_open(struct file *file, int (*show)(struct seq_file *m, void *v),
		void *private);
int single_release(struct inode *inode, struct file *file);
ssize_t seq_read(struct file *file, char *ubuf, size_t count, loff_t *pos);
loff_t seq_lseek(struct file *file, loff_t offset, int whence);
void seq_printf(struct seq_file *m, const char *fmt, ...);

/* ---- Memory of the caller ----------------------------------------------- */

/* Returns how many bytes could not be copied. */
size_t copy_to_user(void *to, const void *from, size_t n);
size_t copy_from_user(void *to, const void *from, size_t n);
void *memdup_user_nul(const void *from, size_t n);

#endif /* SHIM_LINUX_FS_H */
