//! Accuracy of the search on known capacities, and coverage of its interval.

mod servers;

use crate::replay::full_size;
use proofload_stats::capacity::{Answer, Limit, NextTrial, Outcome, Search, Stage, TRIALS_MAX, Terms};
use proofload_stats::rng::Rng;
use servers::{Behind, Noise, Server, SingleQueue, TokenBucket, asked, run};

/// Searches of each kind. At a true coverage of 0.95 fewer than 0.90 are covered with a chance of 1 %.
const SEARCHES: u64 = full_size(40, 100) as u64;
const STEPS_MAX: usize = 200;

fn single_queue() -> SingleQueue {
    // r* = 0.9 μ.
    let served_per_s = 500.0;
    SingleQueue { served_per_s, p99_max_s: 100.0_f64.ln() / (0.1 * served_per_s) }
}

fn terms() -> Terms {
    Terms { from_per_s: 50.0, to_per_s: 5_000.0, trials_max: TRIALS_MAX }
}

/// A whole search, with the numbers of trials of the search and of the confirmation.
fn search(server: &dyn Server, noise: Noise, terms: Terms, seed: u64) -> (Answer, usize, usize) {
    let (mut search, mut rng) = (Search::new(terms), Rng::new(seed));
    for _ in 0..STEPS_MAX {
        match search.step() {
            NextTrial::Trial(request) => {
                let trial = run(server, noise, &request, &mut rng);
                search.tell(trial);
            }
            NextTrial::Done(answer) => {
                let searched = search.searched();
                return (answer, searched, search.trials().len() - searched);
            }
        }
    }
    panic!("the search does not end");
}

/// Up by 5 % until a trial fails: the last that passed, and the first that did not.
fn ramp(server: &dyn Server, noise: Noise, from: f64, seed: u64) -> (f64, f64) {
    let mut rng = Rng::new(seed);
    let mut rate = from;
    for _ in 0..STEPS_MAX {
        let next = rate * 1.05;
        if run(server, noise, &asked(next), &mut rng).outcome != Outcome::Pass {
            return (rate, next);
        }
        rate = next;
    }
    panic!("the ramp does not end");
}

/// Results of many searches.
#[derive(Default)]
struct Tally {
    found: usize,
    covered: usize,
    errors: Vec<f64>,
    widths: Vec<f64>,
    searched_most: usize,
    searched: usize,
    confirmed: usize,
}

impl Tally {
    fn enter(&mut self, answer: &Answer, truth: f64) {
        if let Answer::Found { low, point, high, .. } = *answer {
            self.found += 1;
            self.covered += usize::from(low <= truth && truth <= high);
            self.errors.push((point / truth - 1.0).abs());
            self.widths.push(high / low - 1.0);
        }
    }

    fn quantile(values: &[f64], share: f64) -> f64 {
        let mut values = values.to_vec();
        values.sort_by(f64::total_cmp);
        let place = ((values.len() - 1) as f64 * share).round() as usize;
        values[place]
    }

    fn words(&self) -> String {
        format!(
            "{} of {SEARCHES} intervals hold it ({} found one), error p50 {:.1} % p95 {:.1} %, width p50 {:.1} %, \
             {:.1} trials (at most {}) and {:.1} to confirm",
            self.covered,
            self.found,
            Tally::quantile(&self.errors, 0.5) * 100.0,
            Tally::quantile(&self.errors, 0.95) * 100.0,
            Tally::quantile(&self.widths, 0.5) * 100.0,
            self.searched as f64 / SEARCHES as f64,
            self.searched_most,
            self.confirmed as f64 / SEARCHES as f64,
        )
    }
}

fn tally(server: &dyn Server, noise: Noise, seed: u64) -> Tally {
    let mut tally = Tally::default();
    for n in 0..SEARCHES {
        let (answer, searched, confirmed) = search(server, noise, terms(), seed + n);
        tally.enter(&answer, server.capacity());
        tally.searched += searched;
        tally.searched_most = tally.searched_most.max(searched);
        tally.confirmed += confirmed;
    }
    tally
}

/// Ground truth 9: M/M/1 with an objective on p99: r* = μ − ln(100)/L.
#[test]
fn truth_09_capacity_of_a_single_queue() {
    let server = single_queue();
    for (sd, seed) in [(0.02, 9_000), (0.05, 19_000)] {
        let noise = Noise { sd, bad_luck: true };
        let tally = tally(&server, noise, seed);
        println!(
            "truth 09 | M/M/1, p99 < L, speed differs by {:.0} % between trials, 5 % of them unlucky | r* = μ − ln(100)/L \
             = {:.0}/s: interval holds it ≥ 90 %, ≤ 30 trials | {}",
            sd * 100.0,
            server.capacity(),
            tally.words()
        );
        assert!(tally.covered as f64 >= 0.9 * SEARCHES as f64, "{}", tally.words());
        assert!(tally.searched_most <= 30, "{}", tally.words());
        assert!(
            Tally::quantile(&tally.widths, 0.5) < 0.25,
            "an interval that says nothing covers everything"
        );
    }
}

/// Ground truth 9: a token bucket's cap.
#[test]
fn truth_09_capacity_of_a_token_bucket() {
    let server = TokenBucket { tokens_per_s: 800.0 };
    let noise = Noise { sd: 0.0, bad_luck: true };
    let tally = tally(&server, noise, 29_000);
    let worst = Tally::quantile(&tally.errors, 1.0);
    println!(
        "truth 09 | token bucket of 800/s, 5 % of trials unlucky | 800/s ± 3 %, ≤ 30 trials | worst of {SEARCHES} off by \
         {:.1} %; {}",
        worst * 100.0,
        tally.words()
    );
    assert_eq!(tally.found, SEARCHES as usize);
    assert!(worst <= 0.03 && tally.searched_most <= 30, "{}", tally.words());
    assert!(tally.covered as f64 >= 0.9 * SEARCHES as f64, "{}", tally.words());
}

/// The same bar refuses what many do: ramp up until a trial fails.
#[test]
fn truth_09_a_ramp_until_the_first_failure_misses() {
    let server = single_queue();
    let noise = Noise { sd: 0.02, bad_luck: true };
    let truth = server.capacity();
    let covered = (0..SEARCHES)
        .filter(|n| {
            let (low, high) = ramp(&server, noise, 100.0, 39_000 + n);
            low <= truth && truth <= high
        })
        .count();
    println!(
        "truth 09 | the same by a ramp of +5 % until the first failure | must fail the bar of 90 % | {covered} of \
         {SEARCHES} of its brackets hold r*"
    );
    assert!((covered as f64) < 0.9 * SEARCHES as f64);
}

const STILL: Noise = Noise { sd: 0.02, bad_luck: false };

#[test]
fn beyond_the_range_is_an_answer() {
    let server = TokenBucket { tokens_per_s: 800.0 };
    for (from, to) in [(1_000.0, 5_000.0), (900.0, 901.0)] {
        let terms = Terms { from_per_s: from, to_per_s: to, trials_max: TRIALS_MAX };
        let (answer, searched, _) = search(&server, STILL, terms, 1);
        assert!(
            matches!(answer, Answer::BelowRange { lowest, failed } if lowest == from && failed.agreed >= 4),
            "{answer:?}"
        );
        assert!(searched <= 3);
    }
    let terms = Terms { from_per_s: 50.0, to_per_s: 600.0, trials_max: TRIALS_MAX };
    let (answer, ..) = search(&server, STILL, terms, 2);
    assert!(
        matches!(answer, Answer::AboveRange { highest: 600.0, passed } if passed.agreed >= 4),
        "{answer:?}"
    );
}

#[test]
fn a_limit_of_the_client_is_never_called_the_servers() {
    let server = TokenBucket { tokens_per_s: 800.0 };
    for limit in [Limit::Generator, Limit::Connections] {
        let behind = Behind { server: &server, offered_per_s: 300.0, limit };
        for seed in 0..20 {
            let (answer, ..) = search(&behind, STILL, terms(), seed);
            let Answer::ClientLimited { limit: found, at, at_least: Some(at_least), passed, .. } = answer
            else {
                panic!("{answer:?}")
            };
            assert!(found == limit && at > 300.0 && passed.agreed >= 4, "{answer:?}");
            assert!((250.0..=300.0).contains(&at_least), "{answer:?}");
        }
    }
    let never = Behind { server: &server, offered_per_s: 10.0, limit: Limit::Generator };
    let (answer, searched, _) = search(&never, STILL, terms(), 3);
    assert!(matches!(answer, Answer::ClientLimited { at_least: None, .. }) && searched == 2, "{answer:?}");
    // Where the server's limit is met first, the client's beyond it does not matter.
    let beyond = Behind { server: &server, offered_per_s: 900.0, limit: Limit::Generator };
    let (answer, ..) = search(&beyond, Noise { sd: 0.0, bad_luck: false }, terms(), 4);
    assert!(matches!(answer, Answer::Found { low, high, .. } if low < 800.0 && 800.0 < high), "{answer:?}");
}

#[test]
fn the_same_trials_give_the_same_steps_and_the_same_answer() {
    let (server, noise) = (single_queue(), Noise { sd: 0.05, bad_luck: true });
    let (mut live, mut rng) = (Search::new(terms()), Rng::new(5));
    let mut steps = Vec::new();
    loop {
        let step = live.step();
        steps.push(step.clone());
        match step {
            NextTrial::Trial(request) => live.tell(run(&server, noise, &request, &mut rng)),
            NextTrial::Done(_) => break,
        }
    }
    let mut replayed = Search::new(terms());
    for (step, trial) in steps.iter().zip(live.trials()) {
        assert_eq!(replayed.step(), *step);
        replayed.tell(trial.clone());
    }
    assert_eq!(Some(&replayed.step()), steps.last());
    // Told all at once, as a record is read.
    let mut read = Search::new(terms());
    live.trials().iter().for_each(|trial| read.tell(trial.clone()));
    assert_eq!(Some(&read.step()), steps.last());
}

#[test]
fn confirmation_is_on_fresh_starts_and_no_start_is_used_for_more_than_eight_trials() {
    let (server, noise) = (single_queue(), Noise { sd: 0.05, bad_luck: true });
    for seed in 0..20 {
        let (mut search, mut rng) = (Search::new(terms()), Rng::new(seed));
        while let NextTrial::Trial(request) = search.step() {
            search.tell(run(&server, noise, &request, &mut rng));
        }
        let starts: Vec<&[proofload_stats::capacity::Trial]> =
            search.trials().chunk_by(|_, next| !next.fresh).collect();
        for start in starts {
            assert!(start[0].fresh && start.len() <= 8);
            let confirms = start.iter().filter(|trial| trial.stage != Stage::Search).count();
            assert!(confirms == 0 || (confirms == start.len() && confirms <= 2), "{start:?}");
            let twice = |stage| start.iter().filter(|trial| trial.stage == stage).count() > 1;
            assert!(!twice(Stage::ConfirmLow) && !twice(Stage::ConfirmHigh));
        }
    }
}

#[test]
fn a_search_that_is_cut_off_says_what_it_knows() {
    let server = TokenBucket { tokens_per_s: 800.0 };
    let (mut search, mut rng) = (Search::new(terms()), Rng::new(7));
    for _ in 0..6 {
        if let NextTrial::Trial(request) = search.step() {
            search.tell(run(&server, STILL, &request, &mut rng));
        }
    }
    let Answer::NotSettled { passed, failed, .. } = search.cut_off() else {
        panic!("six trials settle nothing")
    };
    assert!(passed.is_some_and(|rate| rate <= 830.0), "{passed:?}");
    assert!(failed.is_some_and(|rate| rate >= 770.0), "{failed:?}");
    let nothing = Search::new(terms()).cut_off();
    assert!(matches!(nothing, Answer::NotSettled { passed: None, failed: None, .. }));
}
