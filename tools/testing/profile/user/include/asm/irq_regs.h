/* SPDX-License-Identifier: GPL-2.0-only */
/* What an interrupt interrupted. */
#ifndef SHIM_ASM_IRQ_REGS_H
#define SHIM_ASM_IRQ_REGS_H

#include <linux/types.h>

struct pt_regs {
	unsigned long pc;
	bool user;
};

static inline bool user_mode(const struct pt_regs *regs)
{
	return regs->user;
}

static inline unsigned long profile_pc(const struct pt_regs *regs)
{
	return regs->pc;
}

struct pt_regs *get_irq_regs(void);

#endif /* SHIM_ASM_IRQ_REGS_H */
