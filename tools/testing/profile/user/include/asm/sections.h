/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel text: addresses and nothing behind them, of any size. */
#ifndef SHIM_ASM_SECTIONS_H
#define SHIM_ASM_SECTIONS_H

#include <linux/types.h>

extern size_t shim_text_bytes;

#define _stext	((char *)0x40000000)
#define _etext	(_stext + shim_text_bytes)

#endif /* SHIM_ASM_SECTIONS_H */
