// SPDX-License-Identifier: GPL-2.0-only
/*
 * The profiler's protocol, for Spin: who touches which table, and when.
 *
 * Each process is one party. A statement, an atomic or a d_step is one step:
 * the others see what is before and behind it, and nothing in between. The
 * steps are those of kernel/profile.c:
 *
 *	hit()			profile_hits(), profile_charge()
 *	choose_index()		profile_active_table()
 *	table_hit()		profile_table_hit()
 *	buffer_add()		profile_buffer_add(): one atomic
 *	table_flush()		profile_table_flush()
 *	table_discard()		profile_table_discard()
 *	flip()			profile_flip()
 *	flush(), reset()	profile_flush(), profile_reset()
 *	buffer_clear()		profile_buffer_clear(): slot after slot
 *	file_read()		profile_file_read()
 *	file_write()		profile_file_write()
 *	cpu_prepare()		profile_cpu_prepare()
 *	cpu_fold()		profile_cpu_fold()
 *	cpu_up(), cpu_down()	the hotplug core with profile_hotplug_prepare()
 *				and profile_hotplug_dead()
 *	start(), stop()		profile_start(), profile_stop()
 *
 * Two of them are wider than they look. Turning interrupts off only holds
 * others up, so it is one step with the read of profile_live behind it, and
 * turning them on one with the write before it. What cpu_prepare() stores under
 * L are two pointers, of which a hit reads one.
 *
 * The world
 * ---------
 * The text has two slots and a table one entry: the least in which a hit finds
 * its slot, finds a free entry, or evicts. The last CPU comes and goes, the
 * others stay. There is one user, since L makes several of them take turns. All
 * parties run for ever, so a search of all states covers runs of every length.
 * Memory is sequentially consistent: this is not about barriers.
 *
 * The marked hit
 * --------------
 * No step depends on how many hits there are in an entry or a counter; hits are
 * only moved and added. So each one can be followed by itself: one hit, any
 * one, is marked and adds 1, all others add 0. What is shown for the one is
 * shown for each. Once a reset or a stop has forgotten the mark, another hit
 * may get it. In the kernel an entry without hits is not added to the buffer;
 * here it is, and adds nothing. And as a hit may be of any slot, an entry
 * without the mark need not tell its own: slot 0 stands for both.
 *
 * Properties
 * ----------
 * given[] has, for each slot, the marked hit if it was made and not forgotten.
 * Whenever no CPU is in a hit and nobody holds L,
 *
 *	buffer + pending = given	!hit_lost, !hit_twice, !hit_came_back
 *	retired tables are empty	!retired_used
 *
 * A read shows what was given before it began, nothing twice and nothing that
 * is forgotten: the same three names. A reset forgets all that was given before
 * it began: !hit_came_back. Nothing is touched that is freed: !memory_freed. No
 * party waits for ever: no invalid end states.
 */

/* Twins: each breaks one rule, and Spin must notice. */
#define NONE			0
#define TABLE_CHOSEN_EARLY	1
#define FLUSH_WITHOUT_WAITING	2
#define INDEX_PER_CPU		3
#define STOP_WITHOUT_WAITING	4
#define FILE_WITHOUT_WAITING	5
#define RESET_CLEARS_FIRST	6
#define TABLES_DIE_WITH_CPU	7
#define ADD_NOT_ATOMIC		8

#ifndef BROKEN
#define BROKEN		NONE
#endif
#ifndef NR_CPUS
#define NR_CPUS		2
#endif
#define LAST_CPU	(NR_CPUS - 1)
#define NR_SLOTS	2

#define BIT(n)		(1 << (n))
#define ME		_pid	/* in a CPU: its number */

/* ---- What is in memory -------------------------------------------------- */

typedef pending_table {
	bool there;		/* the pointer is set, and what it points to */
	byte slot;
	byte hits
}

typedef profile_cpu {
	pending_table table[2]
}
#define TABLE(cpu, i)	cpus[cpu].table[i]

/* struct profile */
bool profile_there;		/* it is allocated, its buffer as well */
bit active_index;
bool locked;			/* L */
profile_cpu cpus[NR_CPUS];
byte buffer[NR_SLOTS];

bool live;			/* profile_live is not NULL */
bool attached;			/* the hotplug callbacks are installed */
bool file;			/* /proc/profile exists */
bool in_file;			/* the user is in one of its functions */

bool hotplug_locked;
byte online = BIT(LAST_CPU) - 1;	/* a bit for each CPU */
byte in_region;			/* CPUs with interrupts off: RCU readers */
byte waited_for;		/* those of them a grace period waits for */

#if BROKEN == INDEX_PER_CPU
bit cpu_index[NR_CPUS];
#endif
#if BROKEN == ADD_NOT_ATOMIC
byte sum_read[NR_CPUS + 3];	/* by each process */
#endif

/* ---- What is to be shown ------------------------------------------------ */

byte given[NR_SLOTS];
byte before[NR_SLOTS];		/* given when the user took L */

#define MARK_IS_FREE	!(given[0] || given[1] || before[0] || before[1])

/* Set before it is used: no part of a state, if the search can do that. */
#if BROKEN == NONE
#define SCRATCH		hidden byte
#else
#define SCRATCH		byte
#endif
SCRATCH hit_lost, hit_twice, hit_came_back;
SCRATCH retired_used, memory_freed;
SCRATCH total[NR_SLOTS];
SCRATCH c, s;

inline touch(is_there)
{
	memory_freed = !is_there;
	assert(!memory_freed)
}

/* A sum against what must be in it and what may be. */
inline compare(sum, must, may)
{
	hit_lost = sum < must;
	hit_twice = sum > 1;
	hit_came_back = sum > may;
	assert(!hit_lost);
	assert(!hit_twice);
	assert(!hit_came_back)
}

inline add_pending(cpu, i)
{
	s = TABLE(cpu, i).slot;
	total[s] = total[s] + TABLE(cpu, i).hits
}

inline check_all()
{
	for (s : 0 .. NR_SLOTS - 1) {
		total[s] = buffer[s]
	}
	retired_used = 0;
	for (c : 0 .. NR_CPUS - 1) {
		add_pending(c, 0);
		add_pending(c, 1);
		retired_used = retired_used | TABLE(c, !active_index).hits
	}
	for (s : 0 .. NR_SLOTS - 1) {
		compare(total[s], given[s], given[s])
	}
#if BROKEN == NONE
	/* Twins shall be caught by what they do to hits. */
	assert(!retired_used)
#endif
}

/* Wherever a hit ends or L is free again. */
inline check_if_quiet()
{
	if
	:: !in_region && !locked ->
		check_all()
	:: else
	fi
}

/* The instant from which a hit counts: the marked one, or any other one. */
inline give(at, sum)
{
	if
	:: MARK_IS_FREE ->
		given[at] = 1;
		sum = sum + 1;
		printf("CPU %d: the marked hit, in slot %d\n", ME, at)
	:: true ->
		printf("CPU %d: a hit like any other\n", ME)
	fi
}

/* Because the user wants so. */
inline forget(at, sum)
{
	given[at] = (sum -> 0 : given[at])
}

/* ---- Locks and grace periods -------------------------------------------- */

inline interrupts_off()
{
	in_region = in_region | BIT(ME)
}

inline interrupts_on()
{
	in_region = in_region & ~BIT(ME);
	waited_for = waited_for & ~BIT(ME)
}

/* Regions that begin later may well run when this returns. */
inline synchronize_rcu()
{
	d_step {
#if BROKEN == NONE
		assert(!waited_for);	/* the model has no two at once */
#endif
		waited_for = in_region;
		printf("process %d: a grace period begins\n", _pid)
	}
	atomic {
		!waited_for ->
		printf("process %d: the grace period is over\n", _pid)
	}
}

inline lock()
{
	!locked ->
	touch(profile_there);
	locked = true
}

inline unlock()
{
	touch(profile_there);
	locked = false;
	check_if_quiet()
}

inline lock_hotplug()
{
	!hotplug_locked ->
	hotplug_locked = true
}

/* ---- Hit buffer and tables ---------------------------------------------- */

inline buffer_add(to, sum)
{
#if BROKEN == ADD_NOT_ATOMIC
	d_step {
		touch(profile_there);
		sum_read[_pid] = buffer[to];
		printf("process %d: counter %d is %d\n", _pid, to, buffer[to])
	}
	d_step {
		touch(profile_there);
		buffer[to] = sum_read[_pid] + sum;
		sum_read[_pid] = 0;
		printf("process %d: sets counter %d to %d\n",
		       _pid, to, buffer[to])
	}
#else
	d_step {
		touch(profile_there);
		buffer[to] = buffer[to] + sum;
		printf("process %d: adds %d to counter %d\n", _pid, sum, to)
	}
#endif
}

inline buffer_clear()
{
	for (n : 0 .. NR_SLOTS - 1) {
		d_step {
			touch(profile_there);
			forget(n, buffer[n]);
			buffer[n] = 0;
			printf("user: clears counter %d\n", n)
		}
	}
}

inline table_read(cpu, i)
{
	d_step {
		touch(TABLE(cpu, i).there);
		slot = TABLE(cpu, i).slot;
		hits = TABLE(cpu, i).hits;
		printf("process %d: table %d of CPU %d has %d in slot %d\n",
		       _pid, i, cpu, hits, slot)
	}
}

inline table_clear(cpu, i)
{
	touch(TABLE(cpu, i).there);
	TABLE(cpu, i).slot = 0;
	TABLE(cpu, i).hits = 0;
	printf("process %d: clears table %d of CPU %d\n", _pid, i, cpu)
}

inline table_flush(cpu, i)
{
	table_read(cpu, i);
	buffer_add(slot, hits);
	d_step {
		slot = 0;
		hits = 0;
		table_clear(cpu, i)
	}
}

inline table_discard(cpu, i)
{
	d_step {
		forget(TABLE(cpu, i).slot, TABLE(cpu, i).hits);
		table_clear(cpu, i)
	}
}

/* ---- Hits --------------------------------------------------------------- */

inline hit_end()
{
	slot = 0;
	hits = 0;
	index = 0;
	interrupts_on();
	check_if_quiet()
}

/* Reads the entry, evicts it if its slot is not that of the hit, writes it. */
inline table_hit(cpu, i)
{
	table_read(cpu, i);
	if
	:: true				/* found */
	:: true ->
		buffer_add(slot, hits);
		d_step {
			touch(TABLE(cpu, i).there);
			slot = !slot;
			hits = 0;
			TABLE(cpu, i).slot = slot
		}
	fi;
	atomic {
		touch(TABLE(cpu, i).there);
		give(slot, hits);
		TABLE(cpu, i).slot = (hits -> TABLE(cpu, i).slot : 0);
		TABLE(cpu, i).hits = hits;
		printf("CPU %d: sets table %d to %d in slot %d, interrupts on\n",
		       ME, i, hits, TABLE(cpu, i).slot);
		hit_end()
	}
}

inline buffer_hit()
{
	atomic {
		select(slot : 0 .. NR_SLOTS - 1);
		give(slot, hits);
		buffer_add(slot, hits);
		hit_end()
	}
}

inline choose_index()
{
	touch(profile_there);
#if BROKEN == INDEX_PER_CPU
	index = cpu_index[ME];
#else
	index = active_index;
#endif
	printf("CPU %d: chooses table %d\n", ME, index)
}

inline hit()
{
#if BROKEN == TABLE_CHOSEN_EARLY
	atomic {
		live ->
		choose_index()
	}
#endif
	atomic {
		live && (online & BIT(ME)) ->
		interrupts_off();
		printf("CPU %d: interrupts off\n", ME)
	}
#if BROKEN != TABLE_CHOSEN_EARLY
	d_step {
		choose_index()
	}
#endif
	if
	:: TABLE(ME, index).there ->
		table_hit(ME, index)
	:: else ->
		buffer_hit()
	fi
}

/* The first processes, so that their numbers are those of the CPUs. */
active [NR_CPUS] proctype profiled_cpu()
{
	byte slot, hits;
	bit index;

	do
	:: hit()
	od
}

/* ---- Flip, flush, reset ------------------------------------------------- */

inline flip()
{
	d_step {
		retired = active_index;
		active_index = !active_index;
#if BROKEN == INDEX_PER_CPU
		for (c : 0 .. NR_CPUS - 1) {
			cpu_index[c] = cpu_index[c] ^ ((online >> c) & 1)
		}
#endif
		printf("user: flips, table %d is active\n", active_index)
	}
#if BROKEN != FLUSH_WITHOUT_WAITING
	synchronize_rcu()
#endif
}

inline lock_and_note()
{
	atomic {
		lock();
		before[0] = given[0];
		before[1] = given[1]
	}
}

inline flush()
{
	lock_and_note();
	flip();
	for (n : 0 .. NR_CPUS - 1) {
		if
		:: TABLE(n, retired).there ->
			table_flush(n, retired)
		:: else
		fi
	}
	atomic {
		unlock()
	}
}

inline reset()
{
	lock_and_note();
#if BROKEN == RESET_CLEARS_FIRST
	buffer_clear();
#endif
	flip();
	for (n : 0 .. NR_CPUS - 1) {
		if
		:: TABLE(n, retired).there ->
			table_discard(n, retired)
		:: else
		fi
	}
#if BROKEN != RESET_CLEARS_FIRST
	buffer_clear();
#endif
	atomic {
		unlock()
	}
}

inline file_read()
{
	flush();
	for (n : 0 .. NR_SLOTS - 1) {
		d_step {
			touch(profile_there);
			printf("user: sees %d in counter %d\n", buffer[n], n);
			compare(buffer[n], before[n], given[n])
		}
	}
}

inline file_write()
{
	reset();
	for (n : 0 .. NR_SLOTS - 1) {
		d_step {
			hit_came_back = before[n] && given[n];
			assert(!hit_came_back)
		}
	}
}

active proctype user()
{
	byte slot, hits, n;
	bit retired;

	do
	::	atomic {
			file ->
			in_file = true
		}
		if
		:: printf("user: read\n") ->
			file_read()
		:: printf("user: reset\n") ->
			file_write()
		fi;
		atomic {
			before[0] = 0;
			before[1] = 0;
			n = 0;
			retired = 0;
			in_file = false
		}
	od
}

/* ---- CPU hotplug -------------------------------------------------------- */

/* The allocation may fail, if NO_MEMORY is to be looked at. */
inline cpu_prepare(cpu)
{
	atomic {
		lock();
		for (i : 0 .. 1) {
			if
			:: TABLE(cpu, i).there = true
#ifdef NO_MEMORY
			:: !TABLE(cpu, i).there
#endif
			fi
		}
		i = 0;
		printf("process %d: gives CPU %d its tables\n", _pid, cpu);
		unlock()
	}
}

inline cpu_fold(cpu)
{
	atomic {
		lock()
	}
	for (i : 0 .. 1) {
		if
		:: TABLE(cpu, i).there ->
#if BROKEN == TABLES_DIE_WITH_CPU
			d_step {
				table_clear(cpu, i);
				TABLE(cpu, i).there = false
			}
#else
			table_flush(cpu, i)
#endif
		:: else
		fi
	}
	atomic {
		unlock()
	}
}

inline cpu_up(cpu)
{
	if
	:: attached ->
		cpu_prepare(cpu)
	:: else
	fi;
	atomic {
#if BROKEN == INDEX_PER_CPU
		cpu_index[cpu] = 0;
#endif
		online = online | BIT(cpu);
		printf("hotplug: CPU %d is online\n", cpu)
	}
}

inline cpu_down(cpu)
{
	atomic {
		!(in_region & BIT(cpu)) ->
		online = online & ~BIT(cpu);
		printf("hotplug: CPU %d is dead\n", cpu)
	}
	if
	:: attached ->
		cpu_fold(cpu)
	:: else
	fi
}

active proctype hotplug()
{
	byte slot, hits, i;

	do
	::	atomic {
			lock_hotplug()
		}
		if
		:: online & BIT(LAST_CPU) ->
			cpu_down(LAST_CPU)
		:: else ->
			cpu_up(LAST_CPU)
		fi;
		atomic {
			i = 0;
			hotplug_locked = false
		}
	od
}

/* ---- Start and stop ----------------------------------------------------- */

inline destroy()
{
	d_step {
		profile_there = false;
		active_index = 0;
		for (s : 0 .. NR_SLOTS - 1) {
			buffer[s] = 0;
			given[s] = 0
		}
		for (c : 0 .. NR_CPUS - 1) {
			for (i : 0 .. 1) {
				TABLE(c, i).there = false;
				TABLE(c, i).slot = 0;
				TABLE(c, i).hits = 0
			}
#if BROKEN == INDEX_PER_CPU
			cpu_index[c] = 0
#endif
		}
		i = 0;
		printf("control: all is freed\n")
	}
}

/* CPUs that come up after this get their tables from the hotplug core. */
inline attach()
{
	atomic {
		lock_hotplug()
	}
	for (cpu : 0 .. NR_CPUS - 1) {
		if
		:: online & BIT(cpu) ->
			cpu_prepare(cpu)
		:: else
		fi
	}
	atomic {
		cpu = 0;
		attached = true;
		hotplug_locked = false
	}
}

inline detach()
{
	atomic {
		!hotplug_locked ->
		attached = false
	}
}

inline file_remove()
{
	atomic {
		file = false;
		printf("control: no file any more\n")
	}
#if BROKEN != FILE_WITHOUT_WAITING
	!in_file		/* proc_remove() waits */
#endif
}

inline unpublish()
{
	atomic {
		live = false;
		printf("control: not live any more\n")
	}
#if BROKEN != STOP_WITHOUT_WAITING
	synchronize_rcu()
#endif
}

inline start()
{
	profile_there = true;
	atomic {
		live = true;
		printf("control: live\n")
	}
	attach();
	file = true
}

inline stop()
{
	file_remove();
	detach();
	unpublish();
	destroy()
}

active proctype control()
{
	byte cpu, i;

	do
	::	start();
		stop()
	od
}
