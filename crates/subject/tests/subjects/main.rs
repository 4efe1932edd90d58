//! Real processes under a real keeper.
//!
//! The keeper is this executable started again, and so are the subjects: that is why this test has a `main` of
//! its own.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests may"
)]

mod actors;
mod ajp;
mod caches;
mod failures;
mod kills;
mod life;
mod shop;
mod tomcat;

use std::path::PathBuf;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use proofload_study::SubjectSpec;
use proofload_subject::{Cache, Catalogue, KEEPER_ARGUMENT, Prepared, keeper_main};

type Test = (&'static str, fn());

macro_rules! tests {
    ($($module:ident::$test:ident),* $(,)?) => { &[$((stringify!($test), $module::$test)),*] };
}

const TESTS: &[Test] = tests![
    life::a_command_gets_ready_and_its_end_frees_the_port,
    life::a_subject_runs_on_its_cpus_alone,
    life::a_daemon_that_left_its_parent_is_known_and_ended,
    life::a_daemon_that_changes_its_process_number_is_not_taken_for_dead,
    life::a_subject_that_ignores_term_is_killed_and_that_is_said,
    life::a_subject_that_dies_is_told_with_its_status_and_log,
    life::a_subject_that_never_listens_is_told_apart,
    life::a_port_of_somebody_else_is_never_taken_for_the_subject,
    life::a_program_that_is_not_there_is_named,
    life::waiting_ends_when_somebody_says_stop,
    life::a_url_must_answer,
    kills::nothing_outlives_a_killed_parent,
    kills::a_killed_keeper_is_noticed_and_its_work_done,
    kills::what_a_killed_keeper_left_is_cleaned_later,
    failures::a_server_that_dies_in_the_middle_is_told_with_its_signal,
    failures::a_server_that_takes_connections_and_never_answers_hangs,
    failures::a_server_that_stops_answering_hangs_and_has_to_be_killed,
    failures::a_server_that_eats_memory_is_ended_before_the_machine_is_full,
    failures::a_jvm_without_memory_is_told_apart_from_one_that_dies,
    failures::a_real_jvm_whose_heap_is_full_says_so,
    failures::a_flag_that_this_jdk_lacks_is_refused_before_anything_starts,
    failures::two_processes_start_in_order_and_stop_in_reverse,
    failures::of_two_processes_the_one_that_fails_is_named,
    caches::two_that_prepare_the_same_build_it_once,
    caches::a_killed_builder_leaves_nothing_half_made,
];

/// Tests of the full tier: they fetch servers and need a JDK.
const TOMCAT: &[Test] = tests![
    tomcat::every_tomcat_serves_on_every_connector,
    ajp::every_tomcat_speaks_ajp_beside_http,
    tomcat::comet_echoes_on_every_tomcat_and_connector_that_has_it,
    tomcat::struts_echoes_on_every_tomcat_that_it_is_pinned_with,
    tomcat::each_answer_of_a_java_server_costs_the_cpu_time_that_it_spins,
    tomcat::queries_keep_values_waiting_in_one_pool_and_not_in_two,
    tomcat::virtual_threads_serve_on_both_connectors_of_every_newer_tomcat,
    tomcat::the_full_tomcat_serves_its_examples_on_every_connector_of_one_process,
    tomcat::a_tomcat_is_described_counted_and_cleaned_up,
    shop::a_shop_sells_to_users_with_a_session_and_counts_each_page,
    shop::one_step_of_the_shop_costs_what_it_spins,
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    match args.get(1).map(String::as_str) {
        Some(KEEPER_ARGUMENT) => keeper_main(),
        Some(actor) if actor.starts_with(actors::PREFIX) => actors::play(actor, &args[2..]),
        _ => run_tests(),
    }
}

/// The tests, under names and arguments as libtest has them.
fn run_tests() -> ExitCode {
    let trial = |&(name, test): &Test| {
        let is_of_tomcat = TOMCAT.iter().any(|(known, _)| *known == name);
        Trial::test(name, move || {
            test();
            Ok(())
        })
        .with_ignored_flag(is_of_tomcat)
    };
    let trials = TESTS.iter().chain(TOMCAT).map(trial).collect();
    // The actors of one test take CPUs and memory that those of another would miss.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// A directory with a cache in it and the catalogue of this repository.
struct Bench {
    directory: tempfile::TempDir,
    cache: Cache,
    catalogue: Catalogue,
}

impl Bench {
    fn new() -> Bench {
        Bench::of(tempfile::tempdir().unwrap())
    }

    /// Below a directory that the caller removes.
    fn new_in(parent: &str) -> Bench {
        Bench::of(tempfile::tempdir_in(parent).unwrap())
    }

    fn of(directory: tempfile::TempDir) -> Bench {
        let cache = Cache::at(&directory.path().join("cache")).unwrap();
        let catalogue =
            Catalogue::read(&PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../subjects")).unwrap();
        Bench { directory, cache, catalogue }
    }

    fn log(&self) -> PathBuf {
        self.directory.path().join("log")
    }

    fn prepare(&self, spec: &SubjectSpec) -> Prepared {
        Prepared::prepare("it", spec, &self.catalogue, &self.cache, &|line| println!("  {line}")).unwrap()
    }

    /// One of the actors as a `command:` subject.
    fn actor(&self, args: &[&str], ready_within_ns: u64) -> Prepared {
        let program = std::env::current_exe().unwrap().to_string_lossy().into_owned();
        let args = std::iter::once(program).chain(args.iter().map(|arg| arg.to_string())).collect();
        self.prepare(&SubjectSpec::Command {
            args,
            port: None,
            env: Default::default(),
            directory: Some(self.directory.path().to_path_buf()),
            ready_within_ns,
            memory_max_bytes: None,
        })
    }
}
