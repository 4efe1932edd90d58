//! Mistakes in a study, a claim or a flag. Never stored.

mod made;
mod words;

pub use words::{Expected, Syntax, Thing, Unquoted};

type Inner = Box<Mistake>;

crate::facts! {
/// Mistake in a study, a claim or a flag, and its remedy.
told Mistake {
    /// A mistake at a place: a line of a file that the study names, a variant, a flag.
    Failure In { place: String, what: Inner },

    /// A value is something else than its key takes.
    ///
    /// Write what the message shows.
    Failure NotExpected { found: String, expected: Expected, form: String },
    /// A word is none of those that are possible here.
    ///
    /// Write one of them.
    Failure NotOneOf { found: String, similar: Option<String>, choices: Vec<String> },
    /// A number is not a whole one, or out of its range.
    ///
    /// Write a whole number in the range.
    Failure NotWhole { found: String, low: String, high: String },
    /// A quantity is out of its range.
    ///
    /// Write one in the range.
    Failure OutOfRange { found: String, low: String, high: String },
    /// A whole number in quotes.
    ///
    /// Delete the quotes.
    Failure QuotedNumber { found: String },
    /// A word without quotes is not text to all readers of YAML.
    ///
    /// Put it in quotes.
    Failure NotText { found: String, reads_as: Unquoted },
    /// Nothing is written where something must be.
    ///
    /// Write what the message shows.
    Failure Empty { form: String },
    /// A key is missing.
    ///
    /// Write it.
    Failure Missing { form: String },
    /// None of the keys that tell the kind of this.
    ///
    /// Write one of them.
    Failure NoneOf { known: String, form: String },
    /// Two things that exclude each other.
    ///
    /// Keep one of them.
    Failure ExcludeEachOther { first: String, second: String },
    /// A key that means nothing beside another one.
    ///
    /// Delete it.
    Failure NoMeaningBeside { beside: String },
    /// A placeholder where a value is compared or taken as it is written.
    ///
    /// Write the value.
    Failure NotFilled,
    /// Connections that grow, or carry several exchanges, in a load of users.
    ///
    /// Give the number of users at once.
    Failure UsersConnections,
    /// A measure of journeys without the journey that it is about.
    ///
    /// Name it.
    Failure WhichJourney { measure: String, known: String },
    /// A key that means nothing without another one.
    ///
    /// Add the other one, or delete it.
    Failure NoMeaningWithout { needs: String },
    /// A key that no study has at this place.
    ///
    /// Write it as the message shows.
    Failure UnknownKey { similar: Option<String>, known: String },
    /// A name that nothing has.
    ///
    /// Write one of those that are known.
    Failure UnknownName { what: Thing, found: String, similar: Option<String>, known: String },
    /// The same thing twice.
    ///
    /// Delete one of them.
    Failure Twice { what: Thing, name: String },
    /// More of something than is taken.
    ///
    /// Write fewer.
    Failure TooMany { what: Thing, found: String, most: u64 },
    /// More claims or ranges, at all load points together, than a study may have.
    ///
    /// Write fewer, or keep a claim to one point by an `@`.
    Failure TooManyClaims { found: u64, most: u64 },
    /// A name with letters that it cannot have.
    ///
    /// Write the letters that the message shows.
    Failure BadName { what: Thing, found: String, letters: &'static str },
    /// A name that means something else already.
    ///
    /// Choose another name.
    Failure ReservedName { name: String },
    /// A line break or another control character.
    ///
    /// Write one line of text.
    Failure ControlCharacter,
    /// A text that is longer than what takes it.
    ///
    /// Write a shorter one.
    Failure TooLong { length: u64, most: String },
    /// Something that takes no time.
    ///
    /// Write more than 0s.
    Failure TakesNoTime,
    /// Two entries in one item of a list.
    ///
    /// Begin each with its own `-`.
    Failure TwoInOneItem,
    /// The environment has no such variable, or it is not text.
    ///
    /// Export it first.
    Failure NoVariable { name: String },
    /// The secret's file or another file cannot be read.
    ///
    /// Check its name and its permissions.
    Failure CannotRead { file: String, error: String },
    /// A file is a folder, or something else that is not a file.
    ///
    /// Name a file.
    Failure NotAFile { file: String },
    /// A file is larger than is read.
    ///
    /// Use a smaller one.
    Failure FileTooLarge { file: String, most: &'static str },
    /// A body's file with placeholders is larger than is kept in memory.
    ///
    /// Without placeholders it is read while it is sent, however large it is.
    Failure PlaceholdersInLongFile { file: String, most: &'static str },
    /// A file is not text in UTF-8.
    ///
    /// Save it as UTF-8.
    Failure NotUtf8,
    /// A file is outside the folder of the study.
    ///
    /// Put it into that folder, or below it.
    Failure OutsideFolder { file: String },
    /// A folder does not exist.
    ///
    /// Name one, relative to the study file.
    Failure NoFolder { found: String },

    /// The text is not YAML.
    ///
    /// Look at what the message names.
    Failure NotYaml { error: String, look_at: Syntax },
    /// A file without a study.
    ///
    /// Write a study, beginning with `study: name`.
    Failure EmptyFile,
    /// A setting without a value.
    ///
    /// Write `key=value`.
    Failure NothingSet,
    /// A control character in the file.
    ///
    /// Delete it, or write it in quotes as `\x..`.
    Failure ControlCode { character: String },
    /// A tab in the indentation.
    ///
    /// Indent with spaces.
    Failure TabIndents,
    /// A second document in one file.
    ///
    /// Write one study in one file.
    Failure SecondDocument,
    /// A tag of YAML.
    ///
    /// Delete it; text in quotes is text.
    Failure YamlTag { tag: String },
    /// An alias within its own value.
    ///
    /// Write the value out.
    Failure AliasOfItself,
    /// An alias without a value.
    ///
    /// Put text that begins with `*` in quotes.
    Failure UnknownAlias { name: String },
    /// A merge key (`<<`).
    ///
    /// Write the keys out.
    Failure MergeKey,
    /// A key that is not text to all readers of YAML.
    ///
    /// Put it in quotes.
    Failure KeyNotText { key: String },
    /// A list or a map as a key.
    ///
    /// Write a word.
    Failure KeyNotWord,
    /// A key that is in its map twice.
    ///
    /// Delete one of them.
    Failure KeyTwice { key: String, line: u64 },
    /// The study, with what it includes, is larger than a study can be.
    ///
    /// Write less, or without aliases.
    Failure StudyTooLarge { values: u64 },
    /// A file includes itself.
    ///
    /// Take one of the includes out.
    Failure IncludesItself { file: String },
    /// Files include each other too deeply.
    ///
    /// Include them side by side.
    Failure IncludesTooDeep { most: u64 },
    /// A setting changes what a study includes.
    ///
    /// Set the keys that matter one by one.
    Failure IncludeNotSet,
    /// A setting within a value that has no such part.
    ///
    /// Set the value as a whole.
    Failure NothingWithin { path: String, key: String },

    /// A claim without a name.
    ///
    /// Write its name before it.
    Failure UnnamedClaim { text: String },
    /// A name that is not a sentence.
    ///
    /// Write a short sentence.
    Failure NotASentence { most: u64 },
    /// A claim on processes that several variants share.
    ///
    /// Claim throughput, latency or errors, or leave `shared: true` out.
    Failure ClaimOfShared { claim: String, measure: String },
    /// A comparison is missing in a claim.
    ///
    /// Write one of > >= < <= == ~.
    Failure NoComparison { found: Option<String> },
    /// Text is left over behind a claim.
    ///
    /// Write one comparison.
    Failure LeftOver { rest: String },
    /// A term of a claim is missing.
    ///
    /// Write a measure or a number.
    Failure NoTerm,
    /// A threshold without a constant on one side.
    ///
    /// Write it like `p99 < 50ms`.
    Failure ThresholdConstant,
    /// A load point is missing behind an `@`.
    ///
    /// Write its label.
    Failure NoPoint,
    /// The load point is given twice.
    ///
    /// Write it once at the end, or once after each side.
    Failure PointTwice,
    /// There is no load point that a claim could be about.
    ///
    /// Write a load.
    Failure NoPoints,
    /// A bracket or a parenthesis is not closed.
    ///
    /// Close it.
    Failure NeverClosed { after: String, close: &'static str },
    /// A ratio without its measure and its two variants.
    ///
    /// Write `ratio(throughput, this, that)`.
    Failure RatioForm,
    /// A ratio of a variant and itself.
    ///
    /// Name two.
    Failure RatioOfSame,
    /// A ratio is compared with zero.
    ///
    /// Compare it with a number above zero.
    Failure RatioAboveZero,
    /// `~` without `within`.
    ///
    /// Add `within 5%` after the right side.
    Failure NoWithin,
    /// `within` behind another comparison than `~`.
    ///
    /// Write `~`.
    Failure WithinOf { comparison: String },
    /// A measure without a variant where there are several.
    ///
    /// Write the variant in parentheses.
    Failure WhichVariant { measure: String, known: String },
    /// Names that can be read in several ways.
    ///
    /// Write the full names.
    Failure Ambiguous { found: String, known: String },
    /// A stream of a measure that is of processes.
    ///
    /// Leave the stream out.
    Failure NotOfStreams { measure: String, stream: String },
    /// An entry of a mix of a measure that is known of the whole load alone.
    ///
    /// Leave the entry out.
    Failure NotOfRequests { measure: String, request: String },
    /// A stream in a study without streams.
    ///
    /// Leave it out.
    Failure NoStreams { stream: String },
    /// Both sides of a claim are constants.
    ///
    /// Compare at least one measure.
    Failure TwoConstants,
    /// Both sides of a claim are the same.
    ///
    /// Compare two variants, two load points or two measures.
    Failure SameSides,
    /// The sides of a claim have different units.
    ///
    /// Compare what has the same unit.
    Failure DifferentUnits { left: String, right: String },
    /// A constant without the unit of the measure.
    ///
    /// Write it with such a unit.
    Failure WrongUnit { found: String, measure: String, expected: Expected, form: &'static str },
    /// An expectation that is not about a measure, or has a factor.
    ///
    /// Write `throughput(variant)`.
    Failure ExpectationOfMeasure,
    /// A range or a distribution ends before it begins.
    ///
    /// Write the smaller end first.
    Failure EndsBeforeItBegins { found: String },
    /// A range without an end that matters.
    ///
    /// Write one.
    Failure EveryValueFits,
    /// A published figure that is not one measure of one variant above zero.
    ///
    /// Write `p99(ajp) @ 100c: 101ms`.
    Failure NotAFigure,
    /// A published figure without its load point, where there are several.
    ///
    /// Write that of the figure.
    Failure FigureOfWhichPoint,
    /// A condition of an objective sets no upper limit.
    ///
    /// Write it with < or <=.
    Failure NoUpperLimit { text: String },
    /// A condition of an objective on a measure that none can be about.
    ///
    /// Write a quantile such as p99, mean, max or errors.
    Failure NotOfObjectives { text: String, measure: String },
    /// A condition of an objective that never holds.
    ///
    /// Write a limit above 0.
    Failure NeverHolds { text: String },

    /// A variant that shares its process with none.
    ///
    /// Vary what differs between the variants, or leave `shared` out.
    Failure SharesAlone,
    /// A command cannot serve several variants from one process.
    ///
    /// Leave `shared` out, or make a folder of the catalogue for it.
    Failure CommandShared,
    /// Variants that share a process differ in what a process has once.
    ///
    /// Vary the one parameter alone, or leave `shared` out.
    Failure CannotDiffer { folder: String, other: Option<String>, parameter: Option<String> },
    /// A subject needs a parameter.
    ///
    /// Write it under `with`.
    Failure NeedsParameter { folder: String, parameter: String, doc: String },
    /// A factor that some combination does not have.
    ///
    /// Write its usual value under `with`.
    Failure NotInEveryCombination { factor: String },
    /// A row varies other factors than the first.
    ///
    /// Write the same factors, or name each combination.
    Failure OtherFactors { row: u64, factors: String },
    /// Values that do not go together, by the catalogue's own rules.
    ///
    /// Write what the message shows, or exclude the combination.
    Failure NotApplicable { when: String, with: String, because: String, form: String },
    /// An exclusion that excludes nothing.
    ///
    /// Delete it, or write `vary`.
    Failure ExcludesNothing,
    /// Nothing is left of something.
    ///
    /// Keep more.
    Failure LeavesNone { what: Thing },
    /// A word that does not begin as those of its parameter do.
    ///
    /// Write words that do.
    Failure BadBeginning { word: String, known: String },
    /// An unknown placeholder.
    ///
    /// Write one of those that are known.
    Failure UnknownPlaceholder { name: String, known: String },
    /// A command that does not receive its port.
    ///
    /// Write `{port}` where it takes it.
    Failure NoPort,
    /// A budget that ends before the first look; it takes `first` restarts, or with `rounds` that many rounds.
    ///
    /// Give `budget`, or check with `--smoke`.
    Failure BudgetTooShort { given_s: f64, first: u32, needed_s: f64, rounds: bool, budget: String },
    /// Cycles of a load that cannot be cut into slices.
    ///
    /// Leave the mode out, or write `serial`.
    Failure CyclesOfWhole { load: String },
    /// A factor that changes nothing in a command.
    ///
    /// Write it in braces where it belongs.
    Failure UnusedFactor { factor: String },
    /// A port of several variants, which run at the same time.
    ///
    /// Write `{port}` where the command needs it.
    Failure PortTwice { port: String, variants: u64 },
    /// A program that does not exist, or cannot be executed.
    ///
    /// Check its name and its permissions.
    Failure NoProgram { program: String },
    /// A format that this version does not read.
    ///
    /// Use a newer Proofload.
    Failure UnknownFormat { found: String, known: u64 },
    /// A path that leads out of the folder that it is relative to.
    ///
    /// Name one within it.
    Failure LeadsOut { path: String },
    /// A process that comes after one that is not there, or that comes after it.
    ///
    /// Name processes that can start before it.
    Failure NeverStarts { process: String },
    /// A NUL, which no program can be given.
    ///
    /// Delete it.
    Failure Nul,
    /// Addresses are asked for different paths.
    ///
    /// Give all the same path: only the servers may differ.
    Failure DifferentPaths { one: String, other: String },
    /// The load is asked of one entry at a time, which has a weight.
    ///
    /// Delete the weight, or `ask: separately`.
    Failure WeightOfOne { entry: String },

    /// An open load has no think time.
    ///
    /// Delete it.
    Failure OpenThinks,
    /// Connections of an open load are one number.
    ///
    /// Write `connections: 64`, or `auto`; the ladder is that of the rate.
    Failure OneNumber,
    /// At most fewer connections than it begins with.
    ///
    /// Raise the most, or lower the first.
    Failure MostBelowFirst { most: u64, first: u64 },
    /// `auto` in a closed loop, where the connections are the load.
    ///
    /// Write a number, or an open load.
    Failure AutoClosed,
    /// Users start over a longer time than the load may take.
    ///
    /// Raise `cap` or shorten `ramp`.
    Failure StartTooLong,
    /// The lowest rate is not below the highest.
    ///
    /// Write a lower one.
    Failure NotBelow { from: String, to: String },
    /// A ladder whose steps have no height.
    ///
    /// Write fewer steps, or a wider span.
    Failure FlatLadder,
    /// A spike that is not above its base.
    ///
    /// Write `base..peak`.
    Failure FlatSpike,
    /// A spike that ends after its stage.
    ///
    /// Make the stage longer.
    Failure SpikeTooLong,
    /// An amplitude that is 0 or above the mean.
    ///
    /// Write one above 0 and at most the mean.
    Failure Amplitude,
    /// A load that asks nothing.
    ///
    /// Write more than 0.
    Failure AsksNothing,
    /// A soak has too few or too many checkpoints.
    ///
    /// Write a longer soak, or another time between checkpoints.
    Failure Checkpoints { found: u64, low: u64, high: u64 },
    /// No load of the study has a length of its own.
    ///
    /// Delete it: only a closed load with `for` or `soak` is shortened by it.
    Failure NoLength,
    /// A search for a capacity beside other loads.
    ///
    /// Search with one `workload` and `load`.
    Failure SearchAlone,
    /// A stream that ends with a count, and would leave the others alone.
    ///
    /// Write connections, a rate or stages.
    Failure CountedStream,
    /// More than one stream has a ladder.
    ///
    /// Keep one of them.
    Failure SeveralLadders,
    /// A distribution without values, with a mean or a median of 0, or with a tail below its median or far above.
    ///
    /// Write another one.
    Failure BadDistribution { found: String, form: String },
    /// Sizes without an upper end.
    ///
    /// Say the largest.
    Failure NoLargest,
    /// Stages of rates and of connections in one load.
    ///
    /// Write `/s` behind all rates.
    Failure MixedStages,
    /// A trace whose times go back.
    ///
    /// Write one time in seconds on each line, none before the one above it.
    Failure TimeGoesBack,
    /// The trace is over before the time that it is to be played.
    ///
    /// Write less, or repeat it.
    Failure TraceOver { length_s: f64 },
    /// Lines of a file with mistakes.
    Failure BadLines { lines: Vec<Mistake>, more: u64 },

    /// A character that no path can have.
    ///
    /// Write it percent-encoded.
    Failure NotInPaths { character: String, encoded: String },
    /// A whole address where a path belongs.
    ///
    /// Name the server under `subjects`.
    Failure WholeAddress,
    /// The address of a subject has a path.
    ///
    /// Write the path under `workload`.
    Failure PathOfSubject { path: String },
    /// An address of a protocol that is not spoken here.
    ///
    /// Write one of those that are.
    Failure UnknownProtocol { found: String, known: String },
    /// A user name in an address.
    ///
    /// Send it by `auth`, or by `--basic`.
    Failure UserInAddress,
    /// An address that does not hold the path of a socket.
    ///
    /// Write the whole path with `%2F` for `/`.
    Failure NoSocketPath { address: String },
    /// A path of a socket that is longer than the kernel takes.
    ///
    /// Use a shorter one.
    Failure SocketPathTooLong { address: String, length: u64, most: u64 },
    /// One socket for all addresses that are compared.
    ///
    /// Write each as `http+unix://%2Frun%2Fapp.sock/`.
    Failure OneServer,
    /// A name that has no address.
    ///
    /// Check the name, or write the numeric address.
    Failure NotResolved { host: String, error: String },
    /// An address that is not one of this machine.
    ///
    /// Write one that `ip address` lists.
    Failure NotLocal { address: String },
    /// A server that cannot be reached from the local address.
    ///
    /// Bind to addresses of its family, or leave it out.
    Failure OtherFamily { from: String, to: String },
    /// A Unix socket, which has no local address.
    ///
    /// Leave `bind` out.
    Failure SocketBound { to: String },
    /// A Unix socket by way of a proxy.
    ///
    /// Delete the proxy, or write `http://host`.
    Failure SocketBehindProxy,
    /// A header that Proofload sets.
    ///
    /// Leave it out.
    Failure OwnHeader { name: String, instead: Option<String> },
    /// A token with spaces.
    ///
    /// Write the token alone.
    Failure TokenSpaces,
    /// A value of a feeder in user and password.
    ///
    /// Put the whole value of Authorization into a column; of Digest, write fixed ones.
    Failure FeederInBasic { digest: bool },
    /// A user name with a colon.
    ///
    /// Write `user:password`.
    Failure UserColon,
    /// A part of a form without a name.
    ///
    /// Write `field=value`.
    Failure UnnamedPart,
    /// The object of an address cannot be found.
    ///
    /// Check the server, the registry and the name.
    Failure NotReached { error: String },
    /// A measure that a search does not compare.
    ///
    /// Search for another one; `errors` can be claimed, with `expect`.
    Failure NotSearched { measure: String },
    /// An answer to HEAD has no body.
    ///
    /// Delete it.
    Failure HeadBody,
    /// A call has no status that all protocols share.
    ///
    /// Delete it: an exception or a fault is an error.
    Failure CallStatus,
    /// As many types as arguments are needed.
    ///
    /// Give each argument its type.
    Failure TypesAndArguments { types: u64, arguments: u64 },
    /// An address of a call names no method.
    ///
    /// Write `?method=echo`.
    Failure NoMethod { path: String },
    /// A placeholder that is not closed.
    ///
    /// Write `${name}`, or `$${` for a literal `${`.
    Failure OpenPlaceholder,
    /// A placeholder of a feeder that does not exist.
    ///
    /// Name one that does, or write `$${` for a literal `${`.
    Failure UnknownFeeder { found: String, known: String },
    /// A feeder has columns.
    ///
    /// Name one of them.
    Failure WhichColumn { feeder: String, known: String },
    /// A feeder has no columns.
    ///
    /// Write its name alone.
    Failure NoColumns { feeder: String, column: String },
    /// A text of a drawn size outside of a body.
    ///
    /// Write `{ random_text: 16 }`.
    Failure DrawnSize { feeder: String },
    /// A value that is not JSON, outside of quotes in a body of JSON.
    ///
    /// Write `${name|json}` for a string, or `${name|raw}` for the value as it is.
    Failure NotJson { name: String },
    /// The texts of a long file cannot be kept beside the load.
    ///
    /// Set TMPDIR to a folder with room.
    Failure CannotKeep { folder: String, error: String },
    /// A quote in a CSV file that is not closed.
    ///
    /// Close it, or write `""` for a quote in a quoted value.
    Failure OpenQuote,
    /// A row of a CSV file with another number of columns.
    ///
    /// Put values with commas in quotes.
    Failure RaggedRow { columns: u64, first: u64 },
    /// A file that cannot be read as what it is.
    ///
    /// Correct it.
    Failure BadFormat { expected: Expected, error: String },
    /// A column without a name.
    ///
    /// Name it in the first row.
    Failure UnnamedColumn { column: u64 },
    /// A line without a field that the first one has.
    ///
    /// Write it into every line.
    Failure NoField { field: String },
    /// A file without rows.
    ///
    /// Write at least one.
    Failure NoRows { file: String },

    /// A value that changes, in a header that frames the message or the connection.
    ///
    /// Write a fixed value.
    Failure FramingValue { name: String },
    /// A protocol that cannot carry such a request.
    ///
    /// Write a call to a server that is called, a path to one of HTTP or AJP.
    Failure NotCarried { protocol: &'static str, calls: bool },
    /// JSON sends one argument, and the call has several.
    ///
    /// Speak jsonrpc, or put them into one object or list.
    Failure OneArgument { arguments: u64 },
    /// A value that the serialization of a call cannot write.
    ///
    /// Write another value, or speak another serialization.
    Failure CannotWrite { error: String },

    /// The protocol of a subject is not that of its address.
    ///
    /// Delete one of them.
    Failure OtherProtocol { found: String, address: String },
    /// RMI without the name in the registry.
    ///
    /// Write `name: NAME`, or `rmi://host:port/NAME`.
    Failure NoRmiName,
    /// TLS for an address without it.
    ///
    /// Write `https://`, or leave it out.
    Failure NoTls,
    /// A proxy that is not spoken to in plain HTTP.
    ///
    /// Write `http://host:port`.
    Failure ProxyScheme { scheme: String },
    /// A certificate or a key cannot be read.
    ///
    /// Write it in PEM.
    Failure NotPem { file: String, error: Option<String> },
    /// A file is encrypted, and there is no password for it.
    ///
    /// Give its password.
    Failure NeedsPassword { file: String },
    /// A file cannot be opened with its password.
    ///
    /// Give the password that it was written with.
    Failure WrongPassword { file: String },
    /// A key is encrypted in a way that is not read.
    ///
    /// Convert it.
    Failure OldEncryption { file: String },
    /// A file of PKCS#12 cannot be read, or has no certificate with its key.
    ///
    /// Write it anew.
    Failure NotPkcs12 { file: String, error: String },
    /// The system has no certificates of authorities.
    ///
    /// Name a file of them, or install ca-certificates.
    Failure NoAuthorities { error: Option<String> },
    /// A certificate has expired.
    ///
    /// Get a new one.
    Failure Expired { file: String, at: String },
    /// A certificate is not valid yet.
    ///
    /// Check the clock of this machine.
    Failure NotYetValid { file: String, at: String },
    /// A key is not that of the certificate.
    ///
    /// Give the key that belongs to it.
    Failure KeyOfAnother { key: String, certificate: String, error: String },
}
}
