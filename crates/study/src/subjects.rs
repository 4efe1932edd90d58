//! Subjects and their factors: the product of all levels makes the variants.

use super::bind::PINNED;
use super::combinations::{LEVELS, Row, VALUE, VARIANTS_MAX, VARIED, Varied, assignments, varied};
use super::command::{COMMAND, check_command};
use super::declarations::{Declarations, Parameter, ParameterKind};
use super::field::{Field, Map};
use super::keys::{Kind, WORD, keys, kinds};
use super::model::{Server, SubjectSpec, Variant};
use super::name::{FOLDER_LETTERS, FOLDER_NAME, LEVEL_LETTERS, bad_name, is_folder_name, is_level};
use super::problem::shown;
use super::source::Source;
use super::suggest::unknown;
use super::transport::{Passage, TRANSPORT, check_transport, is_proxied};
use super::url::{ParsedUrl, parse_url_unresolved};
use proofload_engine::Address;
use proofload_facts::{Expected, Finding, Mistake, Thing};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::path::Path;

/// The variants; true if all their names could be read (otherwise claims cannot be checked).
pub(super) struct Subjects {
    pub(super) variants: Vec<Variant>,
    pub(super) names_complete: bool,
    /// Parts that the study excludes.
    pub(super) not_tested: Vec<Finding>,
}

const FORM: &str = "subjects: { server: { use: tomcat } }";

keys! {
    /// Started by Proofload from its catalogue.
    CATALOGUE with(VARIED) {
        /// Folder of the catalogue; `proofload subjects` lists them.
        required use: Kind::Text(FOLDER_NAME),
        /// Parameters; `proofload subjects NAME` lists them.
        optional with: Kind::Names(&VALUE, 1, usize::MAX),
        /// Factors: parameters with their levels. Every combination is a variant.
        optional vary: Kind::Names(&LEVELS, 1, usize::MAX),
        /// All variants share one process, which has a port for each; forbids claims about what processes use.
        optional shared: Kind::Switch,
    }

    /// A server that already runs.
    URL with(TRANSPORT) {
        /// Its address, without a path.
        required url: Kind::Text(r"^([hH][tT][tT][pP]([sS]|\+[uU][nN][iI][xX])?|ajp|dubbo|rmi|(hessian1?|json|jsonrpc)\+https?)://[^/@]+/?$"),
        /// A Unix socket to connect to instead of the address.
        optional socket: WORD,
        /// The numeric address of its host, or several with `,` between them; resolved by the system by default.
        optional resolve: PINNED,
    }
}

kinds! {
    /// A server under test.
    SUBJECT = Kind::Map(&[&CATALOGUE, &COMMAND, &URL]);
}

pub(super) fn check_subjects(
    field: &Field<'_>,
    directory: &Path,
    catalogue: &dyn Declarations,
) -> Option<Subjects> {
    let entries = field.entries(FORM)?;
    let several = entries.len() > 1;
    let mut out = Subjects { variants: Vec::new(), names_complete: true, not_tested: Vec::new() };
    let mut ports: HashMap<u16, usize> = HashMap::new();
    for (entry, subject) in &entries {
        let named = is_level(&entry.key);
        if !named {
            subject.sink.add(entry.place, &subject.path, bad_name(Thing::Subject, &entry.key, LEVEL_LETTERS));
        }
        let reader = Reader { field: subject, directory, catalogue };
        let checked = reader.check();
        out.names_complete &= named && checked.as_ref().is_some_and(|subject| subject.levels_complete);
        let Some(checked) = checked else { continue };
        if checked.excluded > 0 {
            let (excluded, all) = (checked.excluded, checked.excluded + checked.rows.len());
            let (excluded, combinations) = (excluded as u32, all as u32);
            out.not_tested.push(Finding::CombinationsExcluded {
                subject: entry.key.clone(),
                excluded,
                combinations,
            });
        }
        if out.variants.len() + checked.rows.len() > VARIANTS_MAX {
            let all = out.variants.len() + checked.rows.len();
            subject.problem(Mistake::too_many(Thing::Variant, all, VARIANTS_MAX));
            return None;
        }
        let mut told = Vec::new();
        for Row { levels, values } in checked.rows {
            let name = variant_name(&entry.key, several, &levels);
            let spec = checked.source.as_ref().map(|source| source.of(&values));
            let memory_bytes = checked.source.as_ref().map_or(0, |source| source.memory_bytes(&values));
            let shares = checked.shared.then(|| entry.key.clone());
            if let Some(SubjectSpec::Catalogue { folder, with }) = &spec {
                let broken = catalogue.check_combination(folder, with).err().unwrap_or_default();
                for mistake in broken {
                    if !told.contains(&mistake) {
                        subject.problem(mistake.clone());
                        told.push(mistake);
                    }
                }
            }
            if let Some(SubjectSpec::Command { port: Some(port), .. }) = &spec {
                *ports.entry(*port).or_default() += 1;
            }
            let mut named_levels = levels;
            if several {
                named_levels.insert(0, ("subject".to_string(), entry.key.clone()));
            }
            // A subject whose own keys are wrong still has a name that claims may use.
            let subject =
                spec.unwrap_or(SubjectSpec::Catalogue { folder: String::new(), with: BTreeMap::new() });
            let mut passage = checked.passage.clone();
            if let SubjectSpec::Catalogue { folder, with } = &subject {
                match catalogue.speaks(folder, with) {
                    Ok(speaks) => passage.speaks = speaks,
                    Err(mistake) => field.problem(mistake),
                }
            }
            let jvm =
                matches!(&subject, SubjectSpec::Catalogue { folder, .. } if catalogue.needs_jdk(folder));
            let levels = named_levels;
            out.variants.push(Variant { name, levels, subject, shares, memory_bytes, jvm, passage });
        }
    }
    for (port, count) in ports.into_iter().filter(|(_, count)| *count > 1) {
        field.problem(Mistake::PortTwice { port: port.to_string(), variants: count as u64 });
    }
    Some(out)
}

/// `nio2`; `connector=nio2,heap=256m`; with several subjects `front,nio2`.
fn variant_name(subject: &str, several: bool, levels: &[(String, String)]) -> String {
    let own = match levels {
        [] => String::new(),
        [(_, level)] => level.clone(),
        many => many.iter().map(|(factor, level)| format!("{factor}={level}")).collect::<Vec<_>>().join(","),
    };
    match (several, own.is_empty()) {
        (false, false) => own,
        (true, false) => format!("{subject},{own}"),
        (_, true) => subject.to_string(),
    }
}

/// A subject before its levels are filled in.
struct Checked {
    source: Option<Source>,
    rows: Vec<Row>,
    /// Combinations that are excluded.
    excluded: usize,
    levels_complete: bool,
    /// All variants share one process.
    shared: bool,
    passage: Passage,
}

impl Checked {
    fn new(source: Option<Source>, varied: Varied<'_>, shared: bool) -> Checked {
        let Varied { rows, excluded, complete, .. } = varied;
        Checked { source, rows, excluded, levels_complete: complete, shared, passage: Passage::default() }
    }
}

struct Reader<'f, 'a> {
    field: &'f Field<'a>,
    directory: &'f Path,
    catalogue: &'f dyn Declarations,
}

impl<'a> Reader<'_, 'a> {
    fn check(&self) -> Option<Checked> {
        let map = self.field.map("{ use: tomcat }, { command: [...] }, { url: http://... }")?;
        let kind = map.exactly_one("use: tomcat, command: [...], url: http://...");
        let checked = match kind {
            Some(("use", field)) => self.catalogue_subject(&map, &field),
            Some(("command", field)) => self.command_subject(&map, &field),
            Some((_, field)) => {
                map.forbid_beside("url", "url");
                let server = check_server(&map, &field, self.directory);
                let (source, passage) = server.map_or((None, Passage::default()), |server| {
                    let Server { address, authority, passage } = server;
                    (Some(Source::Url { address, authority }), passage)
                });
                let rows = vec![Row::default()];
                Some(Checked { source, rows, excluded: 0, levels_complete: true, shared: false, passage })
            }
            None => None,
        };
        map.close();
        checked
    }

    fn catalogue_subject(&self, map: &Map<'a>, field: &Field<'_>) -> Option<Checked> {
        map.forbid_beside("use", "use");
        let folder = self.folder(field);
        let switch = |name: &str| folder.as_ref().is_some_and(|(_, known)| is_switch(known, name));
        let with = map.optional("with").and_then(|field| assignments(&field, &switch)).unwrap_or_default();
        let varied = varied(map, &switch);
        for factor in varied.factors.iter().filter(|factor| varied.gives(&factor.name)) {
            if with.iter().any(|(name, ..)| *name == factor.name) {
                factor.at.problem(Mistake::exclude("with", "vary"));
            }
        }
        let source = folder.map(|(folder, parameters)| {
            self.parameters(map, &folder, &parameters, &with, &varied);
            let with = with.into_iter().map(|(name, value, _)| (name, value)).collect();
            let memory = parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Memory);
            let memory =
                memory.map(|parameter| (parameter.name.clone(), parameter.default.clone())).collect();
            Source::Catalogue { folder, with, memory }
        });
        let shared = self.shared(map, varied.rows.len() < 2);
        if let (Some((field, true)), Some(Source::Catalogue { folder, .. })) = (&shared, &source) {
            self.shareable(field, folder, &varied.rows);
        }
        Some(Checked::new(source, varied, shared.is_some_and(|(_, shared)| shared)))
    }

    /// Variants of one process may differ in nothing but what the folder shares.
    fn shareable(&self, field: &Field<'_>, folder: &str, rows: &[Row]) {
        let folder = folder.to_string();
        let Some(parameter) = self.catalogue.shares(&folder) else {
            return field.problem(Mistake::CannotDiffer { folder, other: None, parameter: None });
        };
        let value =
            |row: &Row, name: &str| row.values.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
        let differ = |name: &String| rows.iter().any(|row| value(row, name) != value(&rows[0], name));
        let names = rows.iter().flat_map(|row| row.values.iter().map(|(name, _)| name));
        if let Some(other) = names.filter(|name| **name != parameter).find(|name| differ(name)) {
            let other = Some(shown(other));
            field.problem(Mistake::CannotDiffer { folder, other, parameter: Some(parameter) });
        }
    }

    /// Every value fits its parameter, and none that must be given is missing.
    fn parameters(
        &self,
        map: &Map<'a>,
        folder: &str,
        known: &[Parameter],
        with: &[(String, String, Field<'a>)],
        varied: &Varied<'a>,
    ) {
        for (name, value, at) in with {
            self.parameter(folder, known, name, value, at);
        }
        for factor in &varied.factors {
            for (level, at) in &factor.levels {
                // A factor that is not known is reported once, not for each level.
                if !self.parameter(folder, known, &factor.name, level, at) {
                    break;
                }
            }
        }
        // A value that could not be read was reported; it is not missing.
        let fixed = |name: &str| map.optional("with").is_some_and(|with| with.has(name));
        varied.check_gaps(&|name| {
            let mut known = known.iter().filter(|parameter| parameter.name == name);
            fixed(name) || known.next().is_none_or(|parameter| parameter.default.is_some())
        });
        let given = |name: &str| fixed(name) || varied.factors.iter().any(|factor| factor.name == name);
        for parameter in known.iter().filter(|known| known.default.is_none() && !given(&known.name)) {
            let (folder, doc) = (folder.to_string(), parameter.doc.clone());
            self.field.problem(Mistake::NeedsParameter { folder, parameter: parameter.name.clone(), doc });
        }
    }

    /// The folder with its parameters.
    fn folder(&self, field: &Field<'_>) -> Option<(String, Vec<Parameter>)> {
        let folder = field.text("tomcat")?;
        if !is_folder_name(folder) {
            field.problem(bad_name(Thing::Folder, folder, FOLDER_LETTERS));
            return None;
        }
        let Some(parameters) = self.catalogue.parameters(folder) else {
            field.problem(unknown(Thing::Folder, folder, &self.catalogue.folders()));
            return None;
        };
        Some((folder.to_string(), parameters))
    }

    /// Checks that a value fits; `false` also for a parameter that is not known, reported once.
    fn parameter(&self, folder: &str, known: &[Parameter], name: &str, value: &str, at: &Field<'_>) -> bool {
        let Some(parameter) = known.iter().find(|parameter| parameter.name == name) else {
            let names: Vec<&str> = known.iter().map(|parameter| parameter.name.as_str()).collect();
            at.problem(unknown(Thing::Parameter, name, &names));
            return false;
        };
        let wrong = parameter.check(value).and_then(|()| self.catalogue.check(folder, name, value)).err();
        if let Some(mistake) = wrong {
            at.problem(mistake);
        }
        true
    }

    fn command_subject(&self, map: &Map<'a>, field: &Field<'_>) -> Option<Checked> {
        let varied = varied(map, &|_| false);
        let source = check_command(map, field, &varied, self.directory).map(Source::Command);
        if let Some((field, true)) = self.shared(map, varied.rows.len() < 2) {
            field.problem(Mistake::CommandShared);
        }
        let passage = check_transport(map, self.directory, "localhost", None, None);
        let source = source.filter(|_| passage.is_some());
        let passage = passage.unwrap_or_default();
        Some(Checked { passage, ..Checked::new(source, varied, false) })
    }

    /// True if all variants share one process.
    fn shared(&self, map: &Map<'a>, alone: bool) -> Option<(Field<'a>, bool)> {
        let field = map.optional("shared")?;
        let shared = field.boolean().unwrap_or(false);
        if shared && alone {
            field.problem(Mistake::SharesAlone);
        }
        Some((field, shared && !alone))
    }
}

/// True if a parameter takes `true` and `false`.
fn is_switch(known: &[Parameter], name: &str) -> bool {
    let takes = |kind: &ParameterKind| matches!(kind, ParameterKind::Choice(words) if words.iter().any(|w| w == "true"));
    known.iter().any(|parameter| parameter.name == name && takes(&parameter.kind))
}

/// A server that runs: its address with what connections to it pass through.
pub(super) fn check_server(map: &Map<'_>, field: &Field<'_>, directory: &Path) -> Option<Server> {
    let parsed = url_subject(map, field);
    let host = parsed.as_ref().and_then(|url| url.host.as_ref()).map_or("localhost", |(host, _)| host);
    // An address that cannot be read counts as TLS, so that nothing else is reported about it, and it is not reported
    // twice.
    let secure = parsed.as_ref().is_none_or(|url| url.secure);
    let protocol = parsed.as_ref().map(|url| url.protocol);
    let passage = check_transport(map, directory, host, Some(secure), protocol);
    let (url, passage) = (parsed?, passage?);
    let address = passage.target(&url.address, &url.authority).addresses;
    Some(Server { address, authority: url.authority, passage })
}

/// The address. A socket is connected to instead of its host; with a proxy it is the proxy that resolves the host.
fn url_subject(map: &Map<'_>, field: &Field<'_>) -> Option<ParsedUrl> {
    let (socket, resolve) = (map.optional("socket"), map.optional("resolve"));
    let behind_proxy = map.has("proxy");
    if let (Some(socket), true) = (&socket, behind_proxy) {
        socket.problem(Mistake::SocketBehindProxy);
        return None;
    }
    let text = field.text("url: http://host:port")?;
    let pinned = match &resolve {
        Some(field) => {
            let text = field.text("127.0.0.1")?;
            let found: Result<Vec<IpAddr>, _> = text.split(',').map(|one| one.trim().parse()).collect();
            let mistake = |_| Mistake::not(shown(text), Expected::NumericAddress, "127.0.0.1");
            field.take(found.map_err(mistake))?
        }
        None => Vec::new(),
    };
    let parsed = field.take(parse_url_unresolved(text))?;
    if parsed.target != "/" {
        field.problem(Mistake::PathOfSubject { path: shown(&parsed.target) });
        return None;
    }
    let socket = match &socket {
        Some(_) if parsed.host.is_none() => {
            field.problem(Mistake::exclude("socket", "http+unix://"));
            return None;
        }
        Some(field) => Some(Address::Unix(field.text("/run/app.sock")?.into()).into()),
        None => None,
    };
    let host = parsed.host.as_ref().map_or("localhost", |(host, _)| host);
    match (socket, behind_proxy) {
        (Some(address), _) => Some(ParsedUrl { address, ..parsed }),
        (None, true) if parsed.host.is_none() => {
            map.optional("proxy").unwrap_or_else(|| field.clone()).problem(Mistake::SocketBehindProxy);
            None
        }
        (None, true) if is_proxied(map, host) => Some(parsed),
        (None, _) => field.take(parsed.resolved(&pinned)),
    }
}
