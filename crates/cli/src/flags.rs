//! Flags of a load, its requests and its servers, as the study that they describe.

use crate::args::{LoadArgs, TransportArgs};
use crate::around::error_line;
use crate::exit::{Exit, leave};
use crate::mistakes::{self, no_password, secret};
use crate::output;
use proofload_engine::{DriverChoice, KeepAlive, LoadPlan};
use proofload_facts::{Expected, Mistake};
use proofload_lab::endpoint::{self, Terms};
use proofload_language::tr;
use proofload_study::quantity::{header, keep_alive};
use proofload_study::{Draft, Options, ParsedUrl, Said, Study, not_one_of, parse_url_unresolved};
use std::fs::OpenOptions;
use std::io::Write as _;
use std::net::IpAddr;
use std::path::Path;

/// Connections when none are asked for: enough to keep a small server busy, few enough for every limit.
const CONNECTIONS: &str = "50";

/// Name of the feeder of `--urls`.
const URLS: &str = "urls";

/// Longest name of a claim that its text can be.
const CLAIM_NAME_MAX: usize = 120;

/// Keys of a study that mistakes name, and the flags that set them.
const WORDS: [(&str, &str); 31] = [
    ("keep_alive: false", "--keep-alive off"),
    ("proxy.tunnel: true", "--proxy-tunnel"),
    ("headers.Host", "-H Host"),
    ("expect_continue", "-H Expect"),
    ("auth", "--basic, --bearer, --digest"),
    ("body", "--body"),
    ("form", "--form"),
    ("urlencoded", "--urlencoded"),
    ("follow", "--follow"),
    ("cookies", "--cookies"),
    ("headers", "-H"),
    ("headers, auth", "-H, --basic, --bearer, --digest"),
    ("headers.Authorization", "-H Authorization"),
    ("headers.Content-Type", "-H Content-Type"),
    ("headers.Cookie", "-H Cookie"),
    ("ca", "--cacert"),
    ("cert", "--cert"),
    ("key", "--key"),
    ("password", "--pass"),
    ("insecure", "--insecure"),
    ("socket", "--unix"),
    ("proxy", "--proxy"),
    ("rate", "-r"),
    ("connections", "-c"),
    ("think", "--think"),
    ("stages", "--stage"),
    ("trace", "--trace"),
    ("claims", "--claim"),
    ("subjects", "URL"),
    ("workload", "URL"),
    ("call", "dubbo://, rmi:// and the like"),
];

/// A draft of a study with this name and question.
pub fn draft(name: &str, question: &str) -> Draft {
    let mut draft = Draft::new(&WORDS);
    draft.put("", &["study"], name);
    draft.put("", &["question"], question);
    draft
}

/// The load of a study of one server.
///
/// # Errors
/// Mistakes of its request.
pub fn load_plan(study: &Study, terms: &Terms) -> anyhow::Result<LoadPlan> {
    let flag = |key: &str| WORDS.iter().find(|(known, _)| *known == key).map(|(_, flag)| (*flag).to_owned());
    endpoint::load_plan(study, terms).map_err(|mistake| mistakes::all(vec![mistake.with_names(&flag)]))
}

/// Writes the study to a new file.
///
/// # Errors
/// Every mistake of the flags; a file that is there.
pub fn save(draft: Draft, path: &Path) -> anyhow::Result<Exit> {
    let text = draft.text();
    draft.study(&Options::default()).map_err(mistakes::all)?;
    let shown = path.display();
    let written = OpenOptions::new().write(true).create_new(true).open(path);
    written.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| {
        leave(Exit::Usage, format!("--save: cannot write {shown}: {error}; name another file"))
    })?;
    for name in text.split("${env.").skip(1).filter_map(|rest| rest.split_once('}')) {
        let name = name.0.split('|').next().unwrap_or_default();
        error_line(tr!("save-variable", name));
    }
    output::print(&format!("proofload run {shown}\n"))?;
    Ok(Exit::Done)
}

/// The checked study of a draft.
///
/// # Errors
/// Every mistake.
pub fn checked(draft: Draft) -> anyhow::Result<Study> {
    draft.study(&Options::default()).map_err(mistakes::all)
}

/// An address that is asked, and what is asked of it.
pub struct Asked {
    /// The address as it was written, without its path.
    pub server: String,
    pub url: ParsedUrl,
}

/// The address; its mistake goes to the draft.
pub fn address(draft: &mut Draft, text: &str) -> Option<Asked> {
    let url = draft.keep("URL", parse_url_unresolved(text))?;
    let whole = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    let start = whole.find("://").map_or(0, |at| at + 3);
    let end = whole[start..].find(['/', '?', '#', '$']).map_or(whole.len(), |at| start + at);
    Some(Asked { server: whole[..end].to_owned(), url })
}

/// Puts a running server under these keys. Without `tls` no key of TLS is set: other addresses use TLS.
pub fn server(draft: &mut Draft, keys: &[&str], asked: &Asked, args: &LoadArgs, tls: bool) {
    let url = &asked.url;
    draft.put("URL", &[keys, &["url"]].concat(), &asked.server);
    for text in &args.transport.resolve {
        let Some((host, port, address)) = draft.keep("--resolve", pinned(text)) else { continue };
        let is_this = |(of, at): &(String, u16)| of.eq_ignore_ascii_case(&host) && *at == port;
        if url.host.as_ref().is_some_and(is_this) {
            draft.put("--resolve", &[keys, &["resolve"]].concat(), &address);
        }
    }
    if let Some(path) = &args.unix {
        draft.put("--unix", &[keys, &["socket"]].concat(), &path.display().to_string());
    }
    transport(draft, keys, url, &args.transport, tls);
}

/// `host:port:address[,address]...`, as in curl.
fn pinned(text: &str) -> Result<(String, u16, String), Mistake> {
    let form = || Mistake::not(text, Expected::Pinned, "example.org:443:127.0.0.1");
    let (host, rest) = text.split_once(':').ok_or_else(form)?;
    let (port, address) = rest.split_once(':').ok_or_else(form)?;
    let port = port.parse().ok().filter(|port| *port > 0).ok_or_else(form)?;
    let bare = |address: &str| address.trim_start_matches('[').trim_end_matches(']').to_owned();
    let addresses: Vec<String> = address.split(',').map(bare).collect();
    addresses.iter().try_for_each(|one| one.parse::<IpAddr>().map(drop)).map_err(|_| form())?;
    Ok((host.to_owned(), port, addresses.join(",")))
}

fn transport(draft: &mut Draft, keys: &[&str], url: &ParsedUrl, args: &TransportArgs, tls: bool) {
    let files =
        [("--cacert", "ca", &args.cacert), ("--cert", "cert", &args.cert), ("--key", "key", &args.key)];
    let texts = [
        ("--tls-version", "version", &args.tls_version),
        ("--alpn", "alpn", &args.alpn),
        ("--sni", "server_name", &args.sni),
    ];
    if tls {
        for (flag, key, path) in
            files.iter().filter_map(|(flag, key, path)| Some((flag, key, path.as_ref()?)))
        {
            draft.put(flag, &[keys, &["tls", key]].concat(), &path.display().to_string());
        }
        for (flag, key, text) in
            texts.iter().filter_map(|(flag, key, text)| Some((flag, key, text.as_ref()?)))
        {
            draft.put(flag, &[keys, &["tls", key]].concat(), text);
        }
        if let Some(password) = args.pass.as_deref().and_then(|text| draft.keep("--pass", secret(text))) {
            draft.put("--pass", &[keys, &["tls", "password"]].concat(), &password);
        }
        if args.insecure {
            draft.put("--insecure", &[keys, &["tls", "insecure"]].concat(), true);
        }
        if args.no_resumption {
            draft.put("--no-resumption", &[keys, &["tls", "resumption"]].concat(), false);
        }
    }
    if let Some(proxy) = &args.proxy {
        let at = |key| [keys, &["proxy", key]].concat();
        draft.put("--proxy", &at("url"), proxy);
        if let Some(text) = &args.proxy_user
            && let Some((user, password)) = credentials(draft, "--proxy-user", text)
        {
            draft.put("--proxy-user", &at("user"), &user);
            draft.put("--proxy-user", &at("password"), &password);
        }
        if args.proxy_tunnel {
            draft.put("--proxy-tunnel", &at("tunnel"), true);
        }
        if let Some(hosts) = &args.no_proxy {
            draft.put("--no-proxy", &at("no_proxy"), hosts);
        }
    }
    let path = url.target.split('?').next().unwrap_or_default();
    match url.protocol {
        "rmi" if path.len() > 1 => draft.put("URL", &[keys, &["speaks", "name"]].concat(), &path[1..]),
        "hessian" | "hessian1" | "json" | "jsonrpc" if path.len() > 1 => {
            draft.put("URL", &[keys, &["speaks", "path"]].concat(), path);
        }
        _ => {}
    }
    const SPEAKS: [&str; 7] =
        ["protocol", "secret", "packet_size", "serialization", "one_way", "path", "name"];
    for text in &args.speaks {
        let Some((key, value)) = text.split_once('=').filter(|(key, _)| SPEAKS.contains(key)) else {
            draft.add("--speaks", not_one_of(text, &SPEAKS.map(|key| format!("{key}=…"))));
            continue;
        };
        let value = if key == "secret" { secret(value) } else { Ok(value.to_owned()) };
        if let Some(value) = draft.keep("--speaks", value) {
            draft.put("--speaks", &[keys, &["speaks", key]].concat(), &value);
        }
    }
}

/// `user:password`, or `user:@FILE`.
fn credentials(draft: &mut Draft, flag: &str, text: &str) -> Option<(String, String)> {
    let Some((user, password)) = text.split_once(':') else {
        draft.add(flag, no_password());
        return None;
    };
    Some((user.to_owned(), draft.keep(flag, secret(password))?))
}

/// Settings that all requests share.
pub fn shared(draft: &mut Draft, args: &LoadArgs) {
    for (flag, key, text) in [("--basic", "basic", &args.basic), ("--digest", "digest", &args.digest)] {
        if let Some(text) = text
            && let Some((user, password)) = credentials(draft, flag, text)
        {
            draft.put(flag, &["auth", key, "user"], &user);
            draft.put(flag, &["auth", key, "password"], &password);
        }
    }
    if let Some(text) = &args.bearer
        && let Some(token) = draft.keep("--bearer", secret(text))
    {
        draft.put("--bearer", &["auth", "bearer"], &token);
    }
    for text in &args.feeders {
        if let Some((name, said)) = draft.keep("--feeder", feeder(text)) {
            draft.put(&format!("--feeder {name}"), &["feeders", &name], said);
        }
    }
    if args.cookies {
        draft.put("--cookies", &["cookies"], true);
    }
    if args.follow > 0 {
        draft.put("--follow", &["follow"], u64::from(args.follow));
    }
    if let Some(path) = &args.url_file {
        let said = Said::Map(vec![("lines".to_owned(), Said::from(&path.display().to_string()))]);
        draft.put("--urls", &["feeders", URLS], said);
    }
    args.bind.iter().for_each(|address| draft.push("--bind", &["bind"], address));
    for (flag, key, text, without) in [
        ("--connect-timeout", "connect", &args.connect_timeout, "5s"),
        ("--timeout", "response", &args.timeout, "30s"),
    ] {
        if text != without {
            draft.put(flag, &["timeouts", key], text);
        }
    }
    if let Some(seed) = args.seed {
        draft.put("--seed", &["seed"], seed);
    }
    if let Some(driver) = args.driver {
        draft.put("--driver", &["conditions", "driver"], DriverChoice::from(driver).name());
    }
    args.cpus.put(draft);
    if let Some(workers) = args.workers {
        draft.put("--workers", &["conditions", "workers"], u64::from(workers));
    }
}

/// A feeder: `users=csv:users.csv`, `n=counter:1`, `r=random:1..1000`, `t=text:16`, `p=sized:uniform:20..200KiB/10m`.
fn feeder(text: &str) -> Result<(String, Said), Mistake> {
    const FORM: &str = "name=csv:FILE, name=json-lines:FILE, name=lines:FILE, name=counter:1, name=random:1..1000, \
                        name=text:16, name=sized:1KiB, name=uuid, name=time:iso";
    let wrong = || Mistake::not(text, Expected::Feeder, FORM);
    let (name, rest) = text.split_once('=').ok_or_else(wrong)?;
    let (kind, value) = if rest == "uuid" { (rest, "v4") } else { rest.split_once(':').ok_or_else(wrong)? };
    let (kind, order) = match kind.rsplit_once('-') {
        Some((kind, order @ ("random" | "unique"))) => (kind, Some(order)),
        _ => (kind, None),
    };
    let number = |text: &str| text.parse::<u64>().map(Said::from).map_err(|_| wrong());
    let map = |entries: &[(&str, Said)]| {
        Said::Map(entries.iter().map(|(key, said)| ((*key).to_owned(), said.clone())).collect())
    };
    let said = match kind {
        "csv" | "json-lines" | "lines" => {
            let key = if kind == "json-lines" { "json_lines" } else { kind };
            let entries = [Some((key, value.into())), order.map(|order| ("order", order.into()))];
            map(&entries.into_iter().flatten().collect::<Vec<_>>())
        }
        _ if order.is_some() => return Err(wrong()),
        "uuid" | "time" => map(&[(kind, value.into())]),
        "counter" => {
            let (from, step) = value.split_once(',').unwrap_or((value, "1"));
            map(&[("counter", map(&[("from", number(from)?), ("step", number(step)?)]))])
        }
        "random" => {
            let (from, to) = value.split_once("..").ok_or_else(wrong)?;
            map(&[("random", map(&[("from", number(from)?), ("to", number(to)?)]))])
        }
        "text" => map(&[("random_text", number(value)?)]),
        "sized" => {
            let (rest, held) = value.split_once('/').map_or((value, None), |(rest, held)| (rest, Some(held)));
            let (sizes, most) =
                rest.split_once('<').map_or((rest, None), |(sizes, most)| (sizes, Some(most)));
            let drawn = [("size", Some(sizes)), ("redraw", held), ("most", most)];
            let drawn: Vec<_> =
                drawn.iter().filter_map(|(key, text)| Some((*key, Said::from((*text)?)))).collect();
            map(&[("random_text", map(&drawn))])
        }
        _ => return Err(wrong()),
    };
    Ok((name.to_owned(), said))
}

/// Request to an address, as an entry of the workload. The entry is asked of the subject unless it names another
/// server.
pub fn entry(draft: &mut Draft, name: &str, url: &ParsedUrl, args: &LoadArgs) {
    let keys = ["workload", name];
    let under = |key: &'static str| [keys[0], keys[1], key];
    if url.carries_calls() {
        call(draft, &keys, url, args);
    } else {
        let whole = format!("${{{URLS}}}");
        let target = if args.url_file.is_some() { &whole } else { &url.target };
        if args.url_file.is_some() && url.target != "/" {
            draft.add("--urls", Mistake::NoMeaningBeside { beside: url.target.clone() });
        }
        if args.url_file.is_some() && args.feeders.iter().any(|text| text.starts_with("urls=")) {
            draft.add("--urls", Mistake::exclude("--urls", "--feeder urls"));
        }
        let method = args.method.to_ascii_uppercase();
        match ["get", "post", "put", "delete", "head", "patch", "options"]
            .iter()
            .find(|key| method.eq_ignore_ascii_case(key))
        {
            Some(key) => draft.put("URL", &under(key), target),
            None if method.contains(char::is_whitespace) => {
                draft.add("-m", Mistake::not(method, Expected::Method, "GET"));
            }
            None => draft.put("-m", &under("request"), &format!("{method} {target}")),
        }
        if !args.args.is_empty() {
            draft.add("--arg", Mistake::NoMeaningWithout { needs: "dubbo://, rmi://".to_owned() });
        }
    }
    for text in &args.headers {
        if let Some((name, value)) = draft.keep("-H", header(text)) {
            let said = Said::Map(vec![(name.clone(), Said::from(&value))]);
            draft.push(&format!("-H {name}"), &under("headers"), said);
        }
    }
    if let Some(text) = args.body.as_deref() {
        match text.strip_prefix('@') {
            Some(path) => draft.put("--body", &[&keys[..], &["body", "file"]].concat(), path),
            None => draft.put("--body", &under("body"), text),
        }
    }
    for text in &args.forms {
        if let Some(part) = draft.keep("--form", form_part(text)) {
            draft.push("--form", &under("form"), Said::Map(vec![part]));
        }
    }
    for text in &args.urlencoded {
        let pair = text.split_once('=').ok_or_else(|| Mistake::not(text, Expected::Part, "name=value"));
        if let Some((name, value)) = draft.keep("--urlencoded", pair) {
            let said = Said::Map(vec![(name.to_owned(), value.into())]);
            draft.push("--urlencoded", &under("urlencoded"), said);
        }
    }
    let expect = |key: &'static str| [keys[0], keys[1], "expect", key];
    if let Some(size) = &args.expect_bytes {
        draft.put("--expect-bytes", &expect("bytes"), size);
    }
    let number = |text: &String| text.parse::<u64>().map_or_else(|_| Said::from(text), Said::from);
    let text = |text: &String| Said::from(text);
    let lists = [
        ("--expect-status", "status", args.expect_status.iter().map(number).collect()),
        ("--expect-text", "text", args.expect_text.iter().map(text).collect()),
        ("--expect-no-text", "no_text", args.expect_no_text.iter().map(text).collect::<Vec<_>>()),
        ("--expect-json", "json", args.expect_json.iter().map(text).collect()),
    ];
    for (flag, key, said) in lists {
        if !said.is_empty() {
            draft.put(flag, &expect(key), Said::List(said));
        }
    }
}

/// The method that the query names: `?method=echo`.
fn call(draft: &mut Draft, keys: &[&str; 2], url: &ParsedUrl, args: &LoadArgs) {
    let (path, query) = url.target.split_once('?').unwrap_or((&url.target, ""));
    let get = |key: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(name, _)| *name == key).map(|(_, value)| value)
    };
    let Some(method) = get("method") else {
        return draft.add("URL", Mistake::NoMethod { path: path.to_owned() });
    };
    let interface =
        get("interface").or(path.rsplit('/').next().filter(|name| !name.is_empty())).unwrap_or("service");
    let under = |key: &'static str| [keys[0], keys[1], key];
    draft.put("URL", &under("call"), &format!("{interface}.{method}"));
    for key in ["version", "group", "returns"] {
        if let Some(text) = get(key) {
            draft.put("URL", &under(key), text);
        }
    }
    for name in get("types").iter().flat_map(|types| types.split(',')) {
        draft.push("URL", &under("types"), name);
    }
    args.args.iter().for_each(|text| draft.push_yaml("--arg", &under("args"), text));
}

/// A part of a form: `field=value`, `file=@path;type=image/png;filename=x.png`.
fn form_part(text: &str) -> Result<(String, Said), Mistake> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| Mistake::not(text, Expected::Part, "field=value, field=@FILE"))?;
    let Some(file) = value.strip_prefix('@') else { return Ok((name.to_owned(), value.into())) };
    let mut words = file.split(';');
    let mut part = vec![("file".to_owned(), Said::from(words.next().unwrap_or_default()))];
    for word in words {
        match word.trim().split_once('=') {
            Some((key @ ("type" | "filename"), value)) => part.push((key.to_owned(), value.into())),
            _ => return Err(not_one_of(word, &["type=", "filename="])),
        }
    }
    Ok((name.to_owned(), Said::Map(part)))
}

fn without(flag: &str) -> Mistake {
    Mistake::NoMeaningWithout { needs: flag.to_owned() }
}

/// The load that stays as it is: a rate, or a number of connections.
pub fn load(draft: &mut Draft, args: &LoadArgs) {
    match &args.rate {
        Some(rate) => {
            draft.put("-r", &["load", "open", "rate"], rate);
            open(draft, args, "open");
            if args.poisson {
                draft.put("--poisson", &["load", "open", "arrival"], "poisson");
            }
        }
        None => {
            draft.put("-c", &["load", "closed", "connections"], connections(args));
            closed(draft, args, "closed");
            if args.poisson {
                draft.add("--poisson", without("-r"));
            }
        }
    }
}

fn connections(args: &LoadArgs) -> Said {
    Said::Plain(args.connections.as_deref().unwrap_or(CONNECTIONS).to_owned())
}

/// Keys that loads of all kinds have.
fn any(draft: &mut Draft, args: &LoadArgs, kind: &str) {
    if args.in_flight > 1 {
        draft.put("--in-flight", &["load", kind, "in_flight"], u64::from(args.in_flight));
    }
    if let Some(kept) = draft.keep("--keep-alive", keep_alive(&args.keep_alive)) {
        let said = match kept {
            KeepAlive::On => return,
            KeepAlive::Off => Said::from(false),
            KeepAlive::Every(count) => Said::from(u64::from(count)),
        };
        draft.put("--keep-alive", &["load", kind, "keep_alive"], said);
    }
}

/// A closed load, or one of users.
pub fn closed(draft: &mut Draft, args: &LoadArgs, kind: &str) {
    any(draft, args, kind);
    if let Some(think) = &args.think {
        draft.put("--think", &["load", kind, "think"], think);
    }
    let open = &args.open;
    let given = [
        ("--max-connections", open.max_connections.is_some()),
        ("--overflow", open.overflow.is_some()),
        ("--coalesce", open.coalesce.is_some()),
    ];
    for (flag, _) in given.iter().filter(|(_, given)| *given) {
        draft.add(flag, without("-r"));
    }
}

/// An open load, or a search for a capacity.
pub fn open(draft: &mut Draft, args: &LoadArgs, kind: &str) {
    any(draft, args, kind);
    if kind == "open" || args.connections.is_some() {
        draft.put("-c", &["load", kind, "connections"], connections(args));
    }
    if let Some(most) = args.open.max_connections {
        draft.put("--max-connections", &["load", kind, "max_connections"], u64::from(most));
    }
    for (flag, key, text) in
        [("--overflow", "overflow", &args.open.overflow), ("--coalesce", "coalesce", &args.open.coalesce)]
    {
        if let Some(text) = text {
            draft.put(flag, &["load", kind, key], text);
        }
    }
    if args.think.is_some() {
        draft.add("--think", Mistake::OpenThinks);
    }
}

/// Claims, each named by its text.
pub fn claims(draft: &mut Draft, flag: &str, texts: &[String]) {
    for text in texts {
        let name: String = text.trim().chars().take(CLAIM_NAME_MAX).collect();
        draft.push(&format!("{flag} {text}"), &["claims"], Said::Map(vec![(name, Said::from(text))]));
    }
}

#[cfg(test)]
mod tests;
