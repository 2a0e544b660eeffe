# SPDX-License-Identifier: GPL-2.0
# Turn what a guest wrote to its verdict port into results, one a line.
#
# Variables: guest, its name; programs, what it was asked to run.
#
# Only the leaves of a KTAP document are tests. A plan that does not fit, a
# result out of sequence, a parent that fails on its own, an exit status
# that contradicts the results: each is a failure too.

function result(verdict, name)
{
	print verdict " " guest "/" program (name == "" ? "" : ": " name)
	count[verdict]++
}

function reset_level(level)
{
	number[level] = 0
	failures[level] = 0
	plan[level] = -1
}

function check_plan(level, what)
{
	if (plan[level] == -1 && level == 0)
		result("fail", "no plan")
	else if (plan[level] != -1 && plan[level] != number[level])
		result("fail", what "planned " plan[level] ", ran " number[level])
	reset_level(level)
}

function begin(name)
{
	program = name
	done[name] = 1
	not_ok = 0
	for (level = 0; level < 16; level++)
		reset_level(level)
	count["pass"] = count["fail"] = count["skip"] = 0
}

function ktap_plan(level, text)
{
	split(text, part, /[. ]+/)
	plan[level] = part[2] + 0
	if (plan[level] == 0 && level == 0 && text ~ /# *SKIP/)
		result("skip", substr(text, index(text, "#")))
}

function ktap_result(level, text,	good, name, inner)
{
	good = text !~ /^not /
	sub(/^(not )?ok */, "", text)
	number[level]++
	if (text + 0 != number[level])
		result("fail", "result " (text + 0) " where " number[level] \
			" was due")
	name = text
	sub(/^[0-9]+ *(- *)?/, "", name)
	if (!good) {
		failures[level]++
		not_ok++
	}

	inner = level + 1
	if (number[inner] || plan[inner] > 0) {
		if (!good && !failures[inner])
			result("fail", name)
		check_plan(inner, name ": ")
	} else if (!good) {
		result("fail", name)
	} else {
		reset_level(inner)
		result(name ~ /# *SKIP/ ? "skip" : "pass", name)
	}
}

function ktap_line(line,	level)
{
	level = match(line, /[^ ]/) ? int((RSTART - 1) / 2) : 0
	sub(/^ +/, "", line)
	if (line ~ /^1\.\.[0-9]+/)
		ktap_plan(level, line)
	else if (line ~ /^(not )?ok +[0-9]+/)
		ktap_result(level, line)
	else if (line ~ /^Bail out!/)
		result("fail", line)
}

function end(status)
{
	check_plan(0, "")
	for (level = 1; level < 16; level++)
		if (number[level])
			result("fail", "results without a parent")
	if (status == 4 && !count["skip"])
		result("fail", "exit status 4, but nothing was skipped")
	else if (status != 0 && status != 4 && !not_ok)
		result("fail", "exit status " status " without a failed test")
	else if (status == 0 && not_ok)
		result("fail", "exit status 0 after a failed test")
	if (count["pass"] + count["fail"] + count["skip"] == 0)
		result("fail", "no test was run")
	program = ""
}

{ sub(/\r$/, ""); finished = $0 == "DONE" }
/^BEGIN / { begin($2); next }
/^\| / { if (program != "") ktap_line(substr($0, 3)); next }
/^END / {
	if (program == $2 && NF == 3)
		end($3)
}

END {
	if (program != "")
		result("fail", "did not come to its end")
	n = split(programs, asked, ",")
	for (i = 1; i <= n; i++) {
		program = asked[i]
		if (!(program in done))
			result("fail", "was not run")
	}
	if (!finished)
		print "fail " guest ": the guest died or hung"
}
