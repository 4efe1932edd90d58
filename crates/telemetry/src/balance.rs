//! Balance of work over the threads of a pool.

/// Prefixes of the names of threads that HotSpot starts for itself, as the kernel keeps them: 15 bytes, and here
/// without the number at their end.
const JVMS_OWN: [&str; 22] = [
    "Attach Listener",
    "C1 CompilerThre",
    "C2 CompilerThre",
    "Common-Cleaner",
    "Concurrent Mark",
    "Finalizer",
    "G1 ",
    "GC Thread#",
    "Gang worker#",
    "JVMCI Compiler",
    "Monitor Deflati",
    "Notification Th",
    "ParGC Thread#",
    "Reference Handl",
    "RuntimeWorker#",
    "Service Thread",
    "Shenandoah ",
    "Signal Dispatch",
    "Sweeper thread",
    "VM Periodic Tas",
    "VM Thread",
    "ZUncommitter",
];
/// ZGC has many kinds of threads, and more with each release: `ZWorkerYoung#0`, `ZDriverMajor`. `X` is that of JDK 21
/// to 23 without generations.
const OF_ZGC: [&str; 5] = ["Driver", "Worker", "Director", "Stat", "Unmapper"];
/// The thread that started a JVM; all threads of a JVM that gives them no names.
const LAUNCHER: &str = "java";

/// True if a JVM runs threads of this group for itself, so that they are not a program's workers.
pub(super) fn is_jvms_own(group: &str) -> bool {
    let of_zgc = |rest: &str| OF_ZGC.iter().any(|kind| rest.starts_with(kind));
    group == LAUNCHER
        || JVMS_OWN.iter().any(|own| group.starts_with(own))
        || group.strip_prefix(['Z', 'X']).is_some_and(of_zgc)
}

/// Jain's fairness index of what each thread used, `(Σx)² / (n Σx²)`: 1 when all used the same, 1/n when one used
/// everything. `None` when fewer than two used anything: one busy thread is not a pool.
///
/// Source: R. Jain, D. Chiu, W. Hawe, *A Quantitative Measure of Fairness and Discrimination for Resource Allocation
/// in Shared Computer Systems*, DEC-TR-301, 1984.
pub(super) fn index(each: &[u64]) -> Option<f64> {
    if each.iter().filter(|used| **used > 0).count() < 2 {
        return None;
    }
    let sum: f64 = each.iter().map(|used| *used as f64).sum();
    let squares: f64 = each.iter().map(|used| (*used as f64).powi(2)).sum();
    Some(sum * sum / (each.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_work_is_one_and_two_of_four_are_a_half() {
        assert_eq!(index(&[7, 7, 7]), Some(1.0));
        assert_eq!(index(&[5, 0, 5, 0]), Some(0.5));
        // (1 + 3)² / (2 · (1 + 9)).
        assert_eq!(index(&[1, 3]), Some(0.8));
        // Nanoseconds of a long soak, whose squares no integer of 64 bits holds.
        assert_eq!(index(&[1 << 50, 1 << 50]), Some(1.0));
        let nearly_one_alone = index(&[1_000_000, 1, 0, 0]).unwrap();
        assert!((0.25..0.250_001).contains(&nearly_one_alone), "{nearly_one_alone}");
    }

    #[test]
    fn one_busy_thread_is_no_pool() {
        for each in [&[][..], &[5], &[5, 0, 0], &[0, 0]] {
            assert_eq!(index(each), None, "{each:?}");
        }
    }

    /// As `/proc/PID/task/*/comm` showed them, for each collector of OpenJDK 17 and 25.
    #[test]
    fn threads_of_the_jvm_are_told_from_those_of_its_program() {
        let own = "Attach Listener,C1 CompilerThre,C2 CompilerThre,Common-Cleaner,Finalizer,G1 Conc#,G1 Main Marker,\
            G1 Refine#,G1 Service,GC Thread#,Monitor Deflati,Notification Th,Reference Handl,RuntimeWorker#,\
            Service Thread,Shenandoah Cont,Shenandoah GC T,Signal Dispatch,Sweeper thread,VM Periodic Tas,VM Thread,\
            ZDirector,ZDriver,ZDriverMajor,ZDriverMinor,ZStat,ZUncommitter,ZUncommitter#,ZUnmapper,ZWorker#,\
            ZWorkerOld#,ZWorkerYoung#,XWorker#,java";
        for name in own.split(',') {
            assert!(is_jvms_own(name), "{name}");
        }
        let workers =
            "DubboServerHand,pool-1-thread-,http-nio-8080-e,XNIO-1 task-,ZooKeeper,qtp,nginx,javaw,Z,X";
        for name in workers.split(',') {
            assert!(!is_jvms_own(name), "{name}");
        }
    }
}
