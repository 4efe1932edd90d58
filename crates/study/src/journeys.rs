//! Journeys: the steps of users, checked and made into programs.

use super::answers::comparison;
use super::distribution::distribution;
use super::field::{Field, Map};
use super::keys::{Kind, WORD, keys, kinds};
use super::load::check_load;
use super::mix::{ENTRY, WEIGHT_MAX, check_entry};
use super::model::{Journeys, WorkloadEntry};
use super::name::{PLAIN, bad_name};
use super::points::Points;
use super::problem::shown;
use super::quantity;
use super::request_defaults::Shared;
use super::shape::LoadPoint;
use super::streams::Asked;
use super::suggest::unknown;
use super::yaml::{Entry, Node, Value};
use proofload_engine::journey::{Condition, Journey, Step, VARIABLES_MAX};
use proofload_engine::{Distribution, Profile, Stage};
use proofload_facts::{Expected, Mistake, Thing};

/// Most steps that send a request, over all journeys; each has figures of its own, as each journey has.
const STEPS_MAX: usize = 48;
/// Most journeys of a study.
const JOURNEYS_MAX: usize = 16;
/// Most connections at once that a user opens to one server, as many as browsers do.
const AT_ONCE: u64 = 6;
/// Most passes of a loop.
const PASSES_MAX: u64 = 1_000_000;
/// Passes after which `while` ends, where nothing else is said.
const PASSES: u64 = 1_000;
/// Passes of it that a user is reckoned with.
const USUAL_PASSES: u64 = 3;
/// Users at once of an open load that names no number.
const AT_LEAST: u32 = 500;
const AT_MOST: u32 = 5_000;

keys! {
    /// A journey with more than its steps.
    JOURNEY {
        /// Share of the users who take it; 1 by default.
        optional weight: Kind::Integer(1, WEIGHT_MAX),
        /// Steps before the others.
        optional setup: JOURNEY_STEPS,
        /// Steps, one after the other.
        required steps: JOURNEY_STEPS,
        /// Steps at the end, taken also where an earlier one has failed.
        optional teardown: JOURNEY_STEPS,
    }

    /// A step that sends nothing itself.
    CONTROL exactly_one(pause, pace, repeat, while, when, choose, parallel) {
        /// Wait: `1s`, `uniform:1s..3s`, `exp:2s`, `normal:2s,sd=500ms`, `lognormal:1s,p99=5s`.
        optional pause: WORD,
        /// Wait until so long after the arrival, or after the last pace.
        optional pace: WORD,
        /// Steps several times.
        optional repeat: Kind::Map(&[&REPEAT]),
        /// Steps as long as a condition holds.
        optional while: Kind::Map(&[&WHILE]),
        /// Steps if a condition holds.
        optional when: Kind::Map(&[&WHEN]),
        /// One of several ways, by weight.
        optional choose: Kind::List(&Kind::Map(&[&WAY]), 1, 64),
        /// Requests at once, as of a page with its pictures.
        optional parallel: Kind::Map(&[&PARALLEL]),
    }

    /// Steps several times.
    REPEAT {
        /// Number of times.
        required times: Kind::Integer(1, PASSES_MAX),
        /// The steps.
        required steps: JOURNEY_STEPS,
    }

    /// Steps as long as a condition holds, which is looked at before each pass.
    WHILE {
        /// `${more} == true`: a captured value, `==`, `!=`, `<`, `<=`, `>` or `>=`, and a value; a value alone is there.
        required condition: WORD,
        /// Most passes; 1,000 by default.
        optional most: Kind::Integer(1, PASSES_MAX),
        /// The steps.
        required steps: JOURNEY_STEPS,
    }

    /// Steps if a condition holds.
    WHEN {
        /// As of `while`.
        required condition: WORD,
        /// The steps.
        required steps: JOURNEY_STEPS,
        /// Steps if it does not.
        optional otherwise: JOURNEY_STEPS,
    }

    /// One of several ways.
    WAY {
        /// Its share; 1 by default.
        optional weight: Kind::Integer(1, WEIGHT_MAX),
        /// The steps.
        required steps: JOURNEY_STEPS,
    }

    /// Requests at once.
    PARALLEL {
        /// Connections for them; 6 by default.
        optional connections: Kind::Integer(1, 64),
        /// Steps that send a request.
        required steps: Kind::List(&REQUEST, 1, STEPS_MAX),
    }
}

kinds! {
    /// Journeys of users, by name.
    JOURNEYS = Kind::Names(&Kind::Either(&[&JOURNEY_STEPS, &Kind::Map(&[&JOURNEY])]), 1, JOURNEYS_MAX);
    /// Steps of a journey: requests by name, pauses, loops, choices, and `exit`.
    JOURNEY_STEPS = Kind::List(&Kind::Later(step), 1, 1024);
    /// A step: one request by its name, or one that controls.
    JOURNEY_STEP = Kind::Either(&[&Kind::Map(&[&CONTROL]), &REQUEST, &Kind::Text("^exit$")]);
}

const REQUEST: Kind = Kind::Names(&Kind::Map(&[&ENTRY]), 1, 1);
const FORM: &str =
    "journeys: { buy: [ { login: { post: /login } }, { pause: 1s }, { cart: { get: /cart } } ] }";

/// Steps hold steps.
fn step() -> &'static Kind {
    &JOURNEY_STEP
}

/// Users at once, where the study leaves it open: those who are on their way at this rate, twice over.
fn at_once(journeys: &Journeys, rate_per_s: f64) -> u32 {
    let on_the_way = rate_per_s * (journeys.pauses_ns as f64 / 1e9 + 1.0);
    (2.0 * on_the_way).clamp(f64::from(AT_LEAST), f64::from(AT_MOST)) as u32
}

/// Gives open loads that name no number of users enough of them. Connections are each user's own.
fn seat(journeys: &Journeys, load: &Field<'_>, points: &mut Points) {
    let shared = |point: &LoadPoint| {
        point.in_flight > 1 || point.open.shortage.most_connections.is_some() || point.open.auto
    };
    if points.capacity.is_some() {
        load.problem(Mistake::SearchAlone);
        return;
    }
    if points.points.iter().any(shared) {
        load.problem(Mistake::UsersConnections);
    }
    let names_them = |entry: &Entry| matches!(&entry.node.value, Value::Map(keys) if keys.iter().any(|key| key.key == "connections"));
    if matches!(&load.node.value, Value::Map(kinds) if kinds.iter().any(names_them)) {
        return;
    }
    for point in &mut points.points {
        let rate = match &point.profile {
            Profile::Open { rate_per_s, .. } => Some(*rate_per_s),
            Profile::OpenStages { stages, .. } => Some(Stage::peak_of(stages)),
            Profile::OpenTrace { trace, .. } => {
                Some(trace.count() as f64 * 1e9 / trace.length_ns().max(1) as f64)
            }
            _ => None,
        };
        point.connections = rate.map_or(point.connections, |rate| at_once(journeys, rate));
    }
}

/// Journeys with their load.
pub(super) fn check_users(map: &Map<'_>, field: &Field<'_>, shared: &Shared<'_>) -> Asked {
    let load = map.required("load", "load: { open: { rate: 20/s } }");
    let around = ["setup", "teardown"].map(|key| map.optional(key));
    let (workload, journeys) = check_journeys(field, &around, shared).unzip();
    let workload = workload.flatten();
    let mut points = load.as_ref().and_then(|field| check_load(field, shared));
    if let (Some(load), Some(points), Some(journeys)) = (&load, &mut points, &journeys) {
        seat(journeys, load, points);
    }
    Asked { workload, journeys, points, ..Asked::default() }
}

/// The requests of all journeys, and of what is `around` them, if all could be read, and the journeys.
fn check_journeys(
    field: &Field<'_>,
    around: &[Option<Field<'_>>; 2],
    shared: &Shared<'_>,
) -> Option<(Option<Vec<WorkloadEntry>>, Journeys)> {
    let entries = field.entries(FORM)?;
    field.at_most(entries.len(), JOURNEYS_MAX, Thing::Journey)?;
    around.iter().flatten().chain([field]).for_each(|field| declare_variables(field, shared));
    let mut writer = Writer {
        shared,
        entries: Vec::new(),
        names: Vec::new(),
        words: Vec::new(),
        times: 1.0,
        pauses_ns: 0.0,
        whole: true,
    };
    let mut journeys = Journeys::default();
    for (entry, field) in &entries {
        if entry.key.trim().is_empty() || entry.key.chars().any(char::is_control) {
            field.sink.add(entry.place, &field.path, bad_name(Thing::Journey, &entry.key, PLAIN));
        }
        journeys.names.push(entry.key.clone());
        (writer.times, writer.pauses_ns) = (1.0, 0.0);
        let (program, line) = writer.told(|writer| writer.journey(field));
        if !program.steps.iter().any(|step| matches!(step, Step::Ask(_) | Step::AskAll { .. }))
            && writer.whole
        {
            writer.whole = false;
            field.problem(Mistake::Missing { form: "{ cart: { get: /cart } }".to_string() });
        }
        journeys.pauses_ns = journeys.pauses_ns.max(writer.pauses_ns.min(1e18) as u64);
        journeys.programs.push(program);
        journeys.lines.push(line);
    }
    for (entry, field) in &entries {
        if writer.names.contains(&entry.key) {
            field.sink.add(entry.place, &field.path, Mistake::twice(Thing::Entry, shown(&entry.key)));
        }
    }
    let variables = shared.feeders.borrow().variables().len();
    let fits = field.at_most(writer.names.len(), STEPS_MAX, Thing::Entry);
    let fits = fits.and(field.at_most(variables, VARIABLES_MAX, Thing::Captured));
    journeys.steps = std::mem::take(&mut writer.names);
    journeys.entries = writer.entries.len();
    for (field, program) in around.iter().zip(&mut journeys.around) {
        *program = field.as_ref().map(|field| writer.journey(field));
    }
    Some((fits.filter(|()| writer.whole).map(|()| writer.entries), journeys))
}

/// Declares the names under each `capture:`, so that a step may use what a later one captures for the next pass of a loop.
fn declare_variables(field: &Field<'_>, shared: &Shared<'_>) {
    fn walk(node: &Node, declare: &mut impl FnMut(&str)) {
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| walk(item, declare)),
            Value::Map(entries) => {
                for entry in entries {
                    match &entry.node.value {
                        Value::Map(names) if entry.key == "capture" => {
                            names.iter().for_each(|name| declare(&name.key));
                        }
                        _ => walk(&entry.node, declare),
                    }
                }
            }
            Value::Scalar { .. } => {}
        }
    }
    // A name that cannot be one is reported where the step is checked.
    walk(field.node, &mut |name| drop(shared.feeders.borrow_mut().add_variable(name)));
}

/// Writes programs, and gathers the requests of their steps.
struct Writer<'s, 'a> {
    shared: &'s Shared<'a>,
    entries: Vec<WorkloadEntry>,
    names: Vec<String>,
    /// Steps in words, those within others apart.
    words: Vec<Vec<String>>,
    /// Times that the present step is taken, on average; a loop with a condition counts a few passes, and both ways of a
    /// condition are as likely.
    times: f64,
    /// Mean time that users of the present journey pause.
    pauses_ns: f64,
    /// False after a mistake.
    whole: bool,
}

impl Writer<'_, '_> {
    fn journey(&mut self, field: &Field<'_>) -> Journey {
        let mut steps = Vec::new();
        if !field.is_map() {
            self.steps(field, &mut steps);
            return Journey { weight: 1, teardown: steps.len(), steps };
        }
        let Some(map) = self.keep(field.map(FORM)) else {
            return Journey { weight: 1, steps, teardown: 0 };
        };
        let weight = map.optional("weight").map_or(Some(1), |field| field.integer());
        let (setup, all) = (map.optional("setup"), map.required("steps", FORM));
        let teardown = map.optional("teardown");
        map.close();
        for part in [setup, self.keep(all)].into_iter().flatten() {
            self.steps(&part, &mut steps);
        }
        let end = steps.len();
        if let Some(part) = teardown {
            let (_, line) = self.told(|writer| writer.steps(&part, &mut steps));
            self.say(format!("at the end ({line})"));
        }
        let weight = self.keep(weight).unwrap_or(1) as u32;
        Journey { weight, steps, teardown: end }
    }

    fn say(&mut self, step: String) {
        self.words.iter_mut().last().into_iter().for_each(|words| words.push(step.clone()));
    }

    /// The result of writing, with its steps in words.
    fn told<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> (T, String) {
        self.words.push(Vec::new());
        let written = write(self);
        (written, self.words.pop().unwrap_or_default().join(", "))
    }

    /// The same for steps that are taken so many times.
    fn told_times(&mut self, times: f64, write: impl FnOnce(&mut Self)) -> String {
        let before = self.times;
        self.times *= times;
        let ((), line) = self.told(write);
        self.times = before;
        line
    }

    /// Notes whether something was read.
    fn keep<T>(&mut self, read: Option<T>) -> Option<T> {
        self.whole &= read.is_some();
        read
    }

    fn steps(&mut self, field: &Field<'_>, steps: &mut Vec<Step>) {
        let field = Field { kind: &JOURNEY_STEPS, ..field.clone() };
        let Some(items) = self.keep(field.items("[ { cart: { get: /cart } }, { pause: 1s } ]")) else {
            return;
        };
        for item in items {
            if item.written() == Some("exit") {
                self.say("exit".to_string());
                steps.push(Step::Exit);
                continue;
            }
            let Some(entries) = self.keep(item.entries("{ cart: { get: /cart } }")) else { continue };
            if let Some((_, second)) = entries.get(1) {
                second.problem(Mistake::TwoInOneItem);
                self.whole = false;
            }
            let Some((entry, field)) = entries.first() else { continue };
            match CONTROL.exactly_one.contains(&entry.key.as_str()) {
                true => self.control(&entry.key, field, steps),
                false => {
                    if let Some(at) = self.request(&entry.key, field) {
                        steps.push(Step::Ask(at));
                    }
                }
            }
        }
    }

    /// Index of the entry that a step sends.
    fn request(&mut self, name: &str, field: &Field<'_>) -> Option<usize> {
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            field.problem(bad_name(Thing::Entry, name, PLAIN));
            self.whole = false;
        }
        if !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_string());
        }
        self.say(name.to_string());
        let entries = field.entries("{ get: /cart }").unwrap_or_default();
        if let Some((_, weight)) = entries.iter().find(|(entry, _)| entry.key == "weight") {
            weight.problem(Mistake::NoMeaningBeside { beside: "journeys".to_string() });
            self.whole = false;
        }
        let entry = self.keep(check_entry(name, field, self.shared))?;
        self.entries.push(entry);
        Some(self.entries.len() - 1)
    }

    fn control(&mut self, key: &str, field: &Field<'_>, steps: &mut Vec<Step>) {
        match key {
            "pause" => {
                let time = self.time(field);
                steps.extend(time.map(Step::Pause));
            }
            "pace" => {
                let time = self.time(field);
                steps.extend(time.map(Step::Pace));
            }
            "repeat" => self.repeat(field, steps),
            "while" => self.while_it_holds(field, steps),
            "when" => self.when(field, steps),
            "choose" => self.choose(field, steps),
            _ => self.parallel(field, steps),
        }
    }

    fn time(&mut self, field: &Field<'_>) -> Option<Distribution> {
        const EXAMPLE: &str = "1s, uniform:1s..3s, exp:2s, normal:2s,sd=500ms";
        let Some(text) = field.written().filter(|_| field.node.kind().is_some()) else {
            field.wrong(Expected::Duration, EXAMPLE);
            return self.keep(None);
        };
        let key = field.path.rsplit('.').next().unwrap_or_default();
        self.say(format!("{key} {text}"));
        let read = field.take(distribution(text, quantity::duration, EXAMPLE));
        self.pauses_ns += self.times * read.as_ref().map_or(0.0, Distribution::mean);
        self.keep(read)
    }

    fn repeat(&mut self, field: &Field<'_>, steps: &mut Vec<Step>) {
        let Some(map) = self.keep(field.map("{ times: 3, steps: [...] }")) else { return };
        let times = map.required("times", "times: 3").and_then(|field| field.integer());
        let body = map.required("steps", "steps: [ { cart: { get: /cart } } ]");
        map.close();
        let (times, body) = (self.keep(times), self.keep(body));
        if let (Some(times), Some(body)) = (times, body) {
            let line =
                self.told_times(times as f64, |writer| writer.looped(times as u32, None, &body, steps));
            self.say(format!("{times} times ({line})"));
        }
    }

    fn while_it_holds(&mut self, field: &Field<'_>, steps: &mut Vec<Step>) {
        let Some(map) = self.keep(field.map("{ condition: \"${more} == true\", steps: [...] }")) else {
            return;
        };
        let condition = map.required("condition", "condition: \"${more} == true\"");
        let most = map.optional("most").map_or(Some(PASSES), |field| field.integer());
        let body = map.required("steps", "steps: [ { cart: { get: /cart } } ]");
        map.close();
        let written = condition.as_ref().and_then(Field::written).unwrap_or_default();
        let condition = condition.as_ref().and_then(|field| self.condition(field));
        let (condition, most, body) = (self.keep(condition), self.keep(most), self.keep(body));
        if let (Some(condition), Some(most), Some(body)) = (condition, most, body) {
            let usual = most.min(USUAL_PASSES) as f64;
            let line =
                self.told_times(usual, |writer| writer.looped(most as u32, Some(condition), &body, steps));
            self.say(format!("while {written}, {most} times at most ({line})"));
        }
    }

    /// A loop that ends after so many passes, or when its condition does not hold any more.
    fn looped(&mut self, times: u32, condition: Option<Condition>, body: &Field<'_>, steps: &mut Vec<Step>) {
        let head = steps.len();
        steps.push(Step::Repeat { times, to: 0 });
        let checks = condition.is_some();
        steps.extend(condition.map(|condition| Step::Unless { condition, to: 0 }));
        self.steps(body, steps);
        steps.push(Step::Jump(head));
        let end = steps.len();
        if let Step::Repeat { to, .. } = &mut steps[head] {
            *to = end;
        }
        if checks && let Step::Unless { to, .. } = &mut steps[head + 1] {
            *to = end;
        }
    }

    fn when(&mut self, field: &Field<'_>, steps: &mut Vec<Step>) {
        let Some(map) = self.keep(field.map("{ condition: \"${role} == admin\", steps: [...] }")) else {
            return;
        };
        let condition = map.required("condition", "condition: \"${role} == admin\"");
        let body = map.required("steps", "steps: [ { cart: { get: /cart } } ]");
        let otherwise = map.optional("otherwise");
        map.close();
        let written = condition.as_ref().and_then(Field::written).unwrap_or_default();
        let condition = condition.as_ref().and_then(|field| self.condition(field));
        let (Some(condition), Some(body)) = (self.keep(condition), self.keep(body)) else { return };
        let head = steps.len();
        steps.push(Step::Unless { condition, to: 0 });
        let line = self.told_times(0.5, |writer| writer.steps(&body, steps));
        self.say(format!("if {written} ({line})"));
        let mut end = steps.len();
        if let Some(otherwise) = otherwise {
            let jump = steps.len();
            steps.push(Step::Jump(0));
            end = steps.len();
            let line = self.told_times(0.5, |writer| writer.steps(&otherwise, steps));
            self.say(format!("otherwise ({line})"));
            steps[jump] = Step::Jump(steps.len());
        }
        if let Step::Unless { to, .. } = &mut steps[head] {
            *to = end;
        }
    }

    fn choose(&mut self, field: &Field<'_>, steps: &mut Vec<Step>) {
        let Some(items) = self.keep(field.items("choose: [ { weight: 3, steps: [...] }, { steps: [...] } ]"))
        else {
            return;
        };
        let head = steps.len();
        steps.push(Step::Jump(0));
        let weights: Vec<f64> = items.iter().map(weight_of).collect();
        let sum: f64 = weights.iter().sum();
        let (mut ways, mut jumps, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for (item, own) in items.into_iter().zip(weights) {
            let Some(map) = self.keep(item.map("{ weight: 3, steps: [...] }")) else { continue };
            let weight = map.optional("weight").map_or(Some(1), |field| field.integer());
            let body = map.required("steps", "steps: [ { cart: { get: /cart } } ]");
            map.close();
            let (Some(weight), Some(body)) = (self.keep(weight), self.keep(body)) else { continue };
            ways.push((weight as u32, steps.len()));
            let line = self.told_times(own / sum.max(1.0), |writer| writer.steps(&body, steps));
            lines.push(format!("{weight} × ({line})"));
            jumps.push(steps.len());
            steps.push(Step::Jump(0));
        }
        let end = steps.len();
        jumps.into_iter().for_each(|at| steps[at] = Step::Jump(end));
        steps[head] = Step::Choose(ways);
        self.say(format!("one of {}", lines.join(", ")));
    }

    fn parallel(&mut self, field: &Field<'_>, steps: &mut Vec<Step>) {
        let Some(map) = self.keep(field.map("{ connections: 6, steps: [...] }")) else { return };
        let at_once = map.optional("connections").map_or(Some(AT_ONCE), |field| field.integer());
        let body = map.required("steps", "steps: [ { logo: { get: /logo.png } } ]");
        map.close();
        let items = body.and_then(|field| field.items("[ { logo: { get: /logo.png } } ]"));
        let (Some(at_once), Some(items)) = (self.keep(at_once), self.keep(items)) else { return };
        let (entries, line) = self.told(|writer| writer.requests(items));
        self.say(format!("{at_once} at once ({line})"));
        steps.push(Step::AskAll { entries, at_once: at_once as usize });
    }

    /// Indexes of the entries that are sent at once.
    fn requests(&mut self, items: Vec<Field<'_>>) -> Vec<usize> {
        let mut entries = Vec::new();
        for item in items {
            let Some(named) = self.keep(item.entries("{ logo: { get: /logo.png } }")) else { continue };
            for (entry, field) in named {
                if CONTROL.exactly_one.contains(&entry.key.as_str()) {
                    field.problem(Mistake::NoMeaningBeside { beside: "parallel".to_string() });
                    self.whole = false;
                    continue;
                }
                entries.extend(self.request(&entry.key, &field));
            }
        }
        entries
    }

    fn condition(&mut self, field: &Field<'_>) -> Option<Condition> {
        const EXAMPLE: &str = "${more} == true";
        let text = field.text(EXAMPLE)?;
        let (left, test) = field.take(comparison(text))?;
        let Some(name) = left.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) else {
            field.wrong(Expected::Condition, EXAMPLE);
            return None;
        };
        let feeders = self.shared.feeders.borrow();
        let variable = feeders.variable(name);
        let known = || unknown(Thing::Captured, name, feeders.variables());
        let variable = field.take(variable.ok_or_else(known))?;
        Some(Condition { variable: usize::from(variable), test })
    }
}

/// Weight of a way, before it is checked.
fn weight_of(way: &Field<'_>) -> f64 {
    let Value::Map(entries) = &way.node.value else { return 1.0 };
    let written = entries.iter().find(|entry| entry.key == "weight").map(|entry| &entry.node.value);
    match written {
        Some(Value::Scalar { text, .. }) => text.parse().unwrap_or(1.0),
        _ => 1.0,
    }
}
