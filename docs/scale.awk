# Prints the plan of docs/scale.md from the numbers in its table of assumptions:
#
#	awk -f docs/scale.awk docs/scale.md

BEGIN { FS = "|" }

# A row of the table: | `name` | number | unit | where from |
$1 == "" && $2 ~ /^ `[a-z_]+` $/ && $3 ~ /^ [0-9.,]+ $/ && (FNR == NR || unquoted($2) in value) {
	gsub(/[ ,]/, "", $3)
	value[unquoted($2)] = $3 + 0
	next
}

# Of a further table every row counts. The first file has other tables.
FNR != NR && /[|]/ && !/^[|] *(name|-+) *[|]/ {
	print "expected a row such as | `urls` | 200 |, with a name of the plan: " $0 > "/dev/stderr"
	failed = 1
	exit 1
}

function unquoted(name) {
	gsub(/[ `]/, "", name)
	return name
}

function get(name) {
	if (!(name in value)) {
		print "the table has no row `" name "`" > "/dev/stderr"
		failed = 1
		exit 1
	}
	return value[name]
}

# stage prints what a stage needs: seconds of all processors, seconds of work that only one processor can
# do, octets through the disk, and reads at places that do not follow each other.
function stage(name, all, one, octets, reads,    times, which, i, most) {
	times["processors"] = all / (get("processors") * get("used"))
	times["one processor"] = one
	times["disk"] = octets / (get("disk") * 1e6) + reads / get("reads")
	most = "processors"
	for (i in times) if (times[i] > times[most]) most = i
	row(name, (all + one) / 3600, octets / 1e9, times[most] / 3600, "  " most)
	processor_hours += (all + one) / 3600
	traffic += octets / 1e9
	hours += times[most] / 3600
	if (times[most] / 3600 > longest) {
		longest = times[most] / 3600
		bottleneck = name " (" most ")"
	}
}

function row(name, processor, gigabytes, took, limit) {
	printf "%-10s %15.1f %15.0f %9.2f%s\n", name, processor, gigabytes, took, limit
}

END {
	if (failed) exit 1
	urls = get("urls") # in millions
	origins = get("hosts") * get("origins")
	list = urls * 1e6 * get("url_octets")
	archive = origins * 1e6 * get("archive_octets")
	output = urls * 1e6 * get("output_octets")
	room = get("memory") * 1e9 - get("heed_memory") * 1e9
	is_cached = archive < room

	printf "%-10s %15s %15s %9s  %s\n", "stage", "processor hours", "GB through disk", "hours", "limited by"
	stage("compile", origins * get("compile_origins"), 0, origins * 1e6 * get("source_octets") + archive, 0)
	if (!get("in_order")) stage("sort", urls * get("sort_urls"), urls * get("merge_urls"), 4 * list, 0)
	stage("judge", urls * (get("judge_urls") + get("output_urls")) + origins * get("judge_origins"), 0, \
		list + archive + output, is_cached ? 0 : origins * 1e6)
	row("all", processor_hours, traffic, hours, "")
	print ""
	machines = int(hours / get("wanted"))
	if (machines < hours / get("wanted")) machines++
	printf "machines, to be ready in %g hours: %d\n", get("wanted"), machines
	printf "one machine is enough for %.0f million URLs in that time, with as many of each host\n", urls * get("wanted") / hours
	printf "money: %.2f\n", hours * get("price")
	printf "bottleneck: %s\n", bottleneck
	printf "disk: %.0f GB for lists, output, sources and archive\n", (list * (get("in_order") ? 1 : 3) + output + origins * 1e6 * get("source_octets") + archive) / 1e9
	printf "archive: %.0f GB, %s\n", archive / 1e9, is_cached ? "fits in the memory beside heed" : "does not fit in the memory beside heed"
	printf "memory: %.1f GB for heed compile, %.1f GB for heed filter in order of host; all origins parsed at once would need %.0f GB\n", \
		0.15 + origins * get("compile_memory") / 1e3, get("heed_memory"), origins * get("origin_memory")
}
