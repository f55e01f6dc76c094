//! The amount of free memory, if the system reports it.
//!
//! The whole machine can have more free memory than a container is allowed to use. In a container, a control group
//! (cgroup) limits the total memory of its processes, and every group around it may have its own limit. A process that
//! exceeds a limit is killed. So the smallest of these amounts counts. All of them are read from text files that Linux
//! provides. On Windows, a system function returns the free memory.

use crate::simd::free_memory;

/// A hierarchy of control groups (cgroups, version 1 or 2).
struct Hierarchy {
    /// The folder of its groups.
    root: &'static str,
    /// The files that contain the limit of a group and its current use, in bytes.
    limit: &'static str,
    usage: &'static str,
    /// The line of `memory.stat` that contains the size of cached files in bytes. The system drops these when it needs
    /// memory.
    cached: &'static str,
}

const VERSION_2: Hierarchy = Hierarchy {
    root: "/sys/fs/cgroup",
    limit: "memory.max",
    usage: "memory.current",
    cached: "inactive_file",
};

const VERSION_1: Hierarchy = Hierarchy {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: "total_inactive_file",
};

/// The free memory in bytes. `None` if the system does not report it. In that case, only trying to allocate memory will
/// show whether there is enough.
pub fn available() -> Option<u64> {
    free_memory().or_else(|| available_by(&|path| std::fs::read_to_string(path).ok()))
}

/// A vector with at least this capacity. It is large enough for its memory to be returned to the system as soon as it
/// is dropped. The allocators of many Linux systems keep smaller blocks for later use. Capacity that is not used takes
/// up no memory.
pub fn returned_when_dropped<T>(count: usize) -> Vec<T> {
    const ALWAYS_RETURNED: usize = 33 << 20;
    Vec::with_capacity(count.max(ALWAYS_RETURNED / size_of::<T>().max(1)))
}

/// Like [`available`], with a function that reads the files.
fn available_by(read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let machine = read("/proc/meminfo").and_then(|text| left_to_machine(&text));
    let groups = read("/proc/self/cgroup").unwrap_or_default();
    let groups = groups.lines().filter_map(group_of);
    let free = groups.flat_map(|(hierarchy, group)| {
        ancestors(group).filter_map(move |group| hierarchy.left_to(group, read))
    });
    machine.into_iter().chain(free).min()
}

impl Hierarchy {
    /// The amount of memory that a group may still allocate. `None` if it has no limit or is not visible.
    fn left_to(&self, group: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
        let file = |name: &str| read(&format!("{}{group}/{name}", self.root));
        let (limit, usage) = (file(self.limit)?, file(self.usage)?);
        let cached = file("memory.stat").and_then(|text| number_of(&text, self.cached));
        left_to_group(&limit, &usage, cached.unwrap_or(0))
    }
}

/// The available memory according to `/proc/meminfo`.
fn left_to_machine(text: &str) -> Option<u64> {
    number_of(text, "MemAvailable:")?.checked_mul(1024)
}

/// The hierarchy and the group in a line of `/proc/self/cgroup`, if the line is about memory.
fn group_of(line: &str) -> Option<(&'static Hierarchy, &str)> {
    let mut fields = line.splitn(3, ':');
    let (number, controllers, group) = (fields.next()?, fields.next()?, fields.next()?);
    if number == "0" && controllers.is_empty() {
        return Some((&VERSION_2, group));
    }
    controllers.split(',').any(|name| name == "memory").then_some((&VERSION_1, group))
}

/// A group and its ancestors, as paths below the root. Inside a container, the group may be listed under the name that
/// it has outside. Some of these paths then do not exist.
fn ancestors(group: &str) -> impl Iterator<Item = &str> {
    let group = group.trim_end_matches('/');
    std::iter::successors(Some(group), |group| Some(group.rsplit_once('/')?.0))
}

/// The part of a limit that is left. `None` if there is no limit.
fn left_to_group(limit: &str, usage: &str, cached: u64) -> Option<u64> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let kept = number(usage)?.saturating_sub(cached);
    Some(number(limit)?.saturating_sub(kept))
}

/// The number on the line that starts with this word.
fn number_of(text: &str, word: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| (words.next()? == word).then(|| words.next()?.parse().ok())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const MEMINFO: &str = "MemTotal:       33554432 kB\nMemFree:   1 kB\nMemAvailable:   25165824 kB\nBuffers: 0 kB\n";

    fn available(files: &[(&str, &str)]) -> Option<u64> {
        let text = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| *text);
        available_by(&|path| text(path).map(str::to_owned))
    }

    #[test]
    fn outside_containers_the_free_memory_of_the_machine_counts() {
        assert_eq!(available(&[("/proc/meminfo", MEMINFO)]), Some(24 * GIB));
        let unlimited = [
            ("/proc/meminfo", MEMINFO),
            ("/proc/self/cgroup", "0::/user.slice/a.scope\n"),
            ("/sys/fs/cgroup/user.slice/memory.max", "max\n"),
            ("/sys/fs/cgroup/user.slice/memory.current", "123456789\n"),
        ];
        assert_eq!(available(&unlimited), Some(24 * GIB));
        assert_eq!(available(&[]), None);
        assert_eq!(available(&[("/proc/meminfo", "MemAvailable: lots")]), None);
    }

    #[test]
    fn the_tightest_of_all_groups_counts() {
        let groups = |inner: &'static str, outer: &'static str, own: &'static str| {
            available(&[
                ("/proc/meminfo", MEMINFO),
                ("/proc/self/cgroup", "0::/a/b/c\n"),
                ("/sys/fs/cgroup/a/b/c/memory.max", inner),
                ("/sys/fs/cgroup/a/b/c/memory.current", "1073741824\n"),
                ("/sys/fs/cgroup/a/memory.max", outer),
                ("/sys/fs/cgroup/a/memory.current", "2147483648\n"),
                ("/sys/fs/cgroup/memory.max", own),
                ("/sys/fs/cgroup/memory.current", "3221225472\n"),
            ])
        };
        assert_eq!(groups("2147483648\n", "max\n", "max\n"), Some(GIB));
        assert_eq!(groups("max\n", "4294967296\n", "max\n"), Some(2 * GIB));
        assert_eq!(groups("max\n", "max\n", "4294967296\n"), Some(GIB));
        assert_eq!(groups("17179869184\n", "4294967296\n", "3221225472\n"), Some(0));
        assert_eq!(groups("1\n", "max\n", "max\n"), Some(0), "more is used than is allowed");
        assert_eq!(groups("99999999999999\n", "max\n", "max\n"), Some(24 * GIB));
    }

    #[test]
    fn groups_of_version_1_count_too() {
        let lines = "12:cpu,cpuacct:/docker/f00\n9:memory:/docker/f00\n1:name=systemd:/\n0::/\n";
        // The container sees its own group as the root.
        let files = [
            ("/proc/meminfo", MEMINFO),
            ("/proc/self/cgroup", lines),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4294967296\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
        ];
        assert_eq!(available(&files), Some(3 * GIB));
        let unlimited = [
            ("/proc/meminfo", MEMINFO),
            ("/proc/self/cgroup", lines),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/memory/memory.usage_in_bytes", "1073741824\n"),
        ];
        assert_eq!(available(&unlimited), Some(24 * GIB));
    }

    #[test]
    fn cached_files_count_as_free() {
        let files = [
            ("/proc/self/cgroup", "0::/a\n"),
            ("/sys/fs/cgroup/a/memory.max", "4294967296\n"),
            ("/sys/fs/cgroup/a/memory.current", "3221225472\n"),
            ("/sys/fs/cgroup/a/memory.stat", "anon 5\ninactive_file 2147483648\nslab 7\n"),
        ];
        assert_eq!(available(&files), Some(3 * GIB));
    }
}
