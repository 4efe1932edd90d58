# What is wrong with a study, a claim or a flag, and what to write instead: one message for each code, its variables are the
# fields. The file, the line and the key stand before it.
in = { $place }: { $what }

## Values.
not-expected = { $found } is not { expected }; write { $form }
not-one-of = { $found } is not known here; { $similar ->
    [none] write { $choices }
   *[other] did you mean { $similar }?
}
not-whole = { $found } does not fit; write a whole number from { $low } to { $high }
out-of-range = { $found } does not fit; write { $low } to { $high }
quoted-number = "{ $found }" is text; write it without quotes
not-text = { $found } without quotes is { $reads_as ->
    [boolean] true or false in YAML
    [old-boolean] true or false to some readers of YAML
   *[number] a number in YAML
}, not text; write "{ $found }"
empty = is empty; write { $form }
missing = is missing; write { $form }
none-of = has none of { $known }; write { $form }
exclude-each-other = { $first } and { $second } exclude each other; keep one of them
no-meaning-beside = has no meaning beside { $beside }; delete it
no-meaning-without = has no meaning without { $needs }; add that, or delete this
unknown-key = is not a key of this format; { $similar ->
    [none] known here: { $known }
   *[other] did you mean { $similar }?
}
unknown-name = there is no { thing } { $found }; { $similar ->
    [none] known: { $known }
   *[other] did you mean { $similar }?
}
twice = the { thing } { $name } is here a second time; delete one of them
too-many = { $found } { things } are too many; write at most { $most }
too-many-claims = { $found } claims or ranges at all load points together are too many; write at most { $most }; an @ keeps one to a load point
bad-name = no { thing } can be named { $found }; write { $letters }, at most 64, beginning with a letter or digit
reserved-name = { $name } stands for something else; choose another name
control-character = holds a line break or another control character; write one line of text
too-long = { $length } bytes are too long; write at most { $most }
takes-no-time = takes no time; write more than 0s
two-in-one-item = two entries in one item of the list; begin each with its own -
no-variable = the environment has no text under { $name }; export it first
cannot-read = { $file } cannot be read: { $error }; check the name and its permissions
not-a-file = { $file } is not a file; name a file
file-too-large = { $file } is larger than { $most }; use a smaller file
placeholders-in-long-file = { $file } has placeholders, so it has to be kept in memory, and is larger than { $most }; take all ${"{"} out of it, and it is read while it is sent, however large it is
not-utf8 = is not UTF-8 text; save the file as UTF-8
outside-folder = { $file } is outside the folder of the study; put it there, or below
no-folder = { $found } is not a folder here; name one, relative to the study file

## Of NotExpected: what the value should have been.
expected = { $expected ->
    [address] an address
    [arguments] a list of arguments, and no shell is asked
    [bytes] a whole number of bytes
    [condition] a condition
    [coordinate] a Maven coordinate
    [cores-number] a number of cores
    [cpu-list] a list of CPUs such as 0-1,4 of those that there are
    [css-selector] a CSS selector
    [csv] CSV
    [distribution] a distribution
    [duration] a duration
    [even-number] an even number
    [factor] a factor above zero
    [feeder] a feeder
    [header-name] a header name
    [header] a header
    [host-and-port] a host with a port from 1 to 65535
    [java-value] a value that Java has
    [json-object] a JSON object
    [json-path] a JSONPath
    [json-schema] a JSON Schema
    [keep-alive] true, false or a number
    [key] a key
    [ladder] a ladder
    [list] a list
    [machine] a machine
    [map] a map
    [measure-at-point] a measure at a load point
    [memory] a size of memory
    [method] a method
    [number] a number
    [numeric-address] a numeric address
    [objective] a condition of an objective
    [pair] a name with a value
    [part] a part of a form
    [path] a path
    [percentage] a percentage above 0% and up to 100%
    [pin] a coordinate, a file name and a SHA-256
    [pinned] an address for a name
    [plain-number] a plain number
    [proxy] the address of a proxy
    [quantity] a quantity
    [range] a range
    [rate] a rate
    [regex] a regular expression
    [seconds] a time in seconds
    [server] the name of a server
    [share] a share
    [sine] a sine
    [size] a size
    [span] a span
    [spike] a spike
    [stage] a stage
    [status] a status from 200 to 599
    [text] text
    [true-or-false] true or false
    [unit] a unit
    [user] a user and a password
    [web-address] an address of the web
    [weight] an address with a weight from 1
    [whole] a whole number
    [xpath] an XPath
   *[words] a list of words with all quotes closed
}
thing = { $what ->
    [address] address
    [argument] argument
    [captured] captured value
    [claim] claim
    [column] column
    [combination] combination
    [conclusion] conclusion
    [condition] condition
    [entry] entry of the workload
    [factor] factor
    [feeder] feeder
    [figure] figure
    [file] file
    [folder] folder of the catalogue
    [header] header
    [journey] journey
    [level] level
    [measure] measure
    [parameter] parameter
    [part] part
    [point] load point
    [point-or-variant] variant or load point
    [process] process
    [quantity] row for the quantity
    [redirect] redirect
    [reference] reference
    [row] row
    [setting] setting
    [stage] stage
    [stream] stream
    [study] study
    [subject] subject
    [value] value
    [variable] environment variable
   *[variant] variant
}
things = { $what ->
    [address] addresses
    [argument] arguments
    [captured] captured values
    [claim] claims
    [column] columns
    [combination] combinations
    [conclusion] conclusions
    [condition] conditions
    [entry] entries
    [factor] factors
    [feeder] feeders
    [figure] figures
    [file] files
    [folder] folders of the catalogue
    [header] headers
    [journey] journeys
    [level] levels
    [measure] measures
    [parameter] parameters
    [part] parts
    [point] load points
    [point-or-variant] variants or load points
    [process] processes
    [quantity] quantities
    [redirect] redirects
    [reference] references
    [row] rows
    [setting] settings
    [stage] stages
    [stream] streams
    [study] studies
    [subject] subjects
    [value] values
    [variable] environment variables
   *[variant] variants
}

## Syntax, includes and settings.
not-yaml = not YAML: { $error }; { $look_at ->
    [quote] close the quote
    [bracket] close every bracket and brace, and separate the values by commas
    [depth] nest less deeply
    [directive] delete the line that begins with %
    [colon] put the text behind the first colon in quotes
   *[indentation] check the indentation, the colons and the quotes near this line
}
empty-file = the file is empty; write a study, beginning with `study: name`
nothing-set = nothing is set; write key=value: --set load.closed.connections=64
control-code = a control character ({ $character }); delete it, or write it in quotes as \x..
tab-indents = a tab in the indentation; indent with spaces
second-document = a second document begins; write one study in one file
yaml-tag = the tag { $tag } is not known here; delete it; text in quotes is text
alias-of-itself = an alias to what contains it; write the value out
unknown-alias = the alias *{ $name } stands for nothing; put text that begins with * in quotes
merge-key = merge keys (<<) are not known here; write the keys out
key-not-text = the key { $key } without quotes is not text for every YAML reader; write "{ $key }":
key-not-word = a list or map cannot be a key; write a word
key-twice = the key { $key } is here a second time; delete it, or that of line { $line }
study-too-large = is larger than a study can be; write at most 1 MiB and { $values } values, aliases counted with what they stand for
includes-itself = { $file } includes itself; take one of the includes out
includes-too-deep = more than { $most } files include each other; include them side by side
include-not-set = what a study includes cannot be set; set the keys that matter one by one
nothing-within = { $path } has no { $key } within it; set it as a whole

## Claims, expectations and objectives.
unnamed-claim = a claim without a name; write its name before it: name: { $text }
not-a-sentence = cannot be a name; write a short sentence, at most { $most } letters
claim-of-shared = the claim { $claim } is about { $measure }, and its variants share one process; claim throughput, latency or errors, or leave shared: true out
no-comparison = a comparison is expected at { $found ->
    [none] the end
   *[other] `{ $found }`
}; write one of > >= < <= == ~
left-over = `{ $rest }` is left over; a claim is `measure(variant) > measure(variant) @ point`, with one comparison
no-term = a measure or a number is expected here; write `throughput(variant)` or `50ms`
threshold-constant = a threshold has a constant on one side; write p99 < 50ms
no-point = a load point is expected after `@`; write its label
point-twice = the load point is given twice; write it once at the end, or once after each side
no-points = there is no load point that this claim could be about; write a load
never-closed = what opens after `{ $after }` is never closed; add `{ $close }`
ratio-form = `ratio` takes a measure and two variants; write `ratio(throughput, this, that)`, a stream behind the measure
ratio-of-same = both variants of the ratio are the same; name two
ratio-above-zero = a ratio is always above zero; compare it with a number above zero, like 1.05
no-within = `~` needs to know how close is close; add `within 5%` after the right side
within-of = `within` belongs to `~`; write `~` instead of `{ $comparison }`
which-variant = `{ $measure }` of which variant? Write `{ $measure }(…)` with one of { $known }
not-filled = a placeholder is not filled in here: what a value is compared with is taken as it is written; write the value
users-connections = the connections of users are their own, one exchange on each; leave out in_flight, max_connections and auto, and write connections: N for the most users at once
which-journey = `{ $measure }` of which journey? Write `{ $measure }[…]` with one of { $known }
ambiguous = `{ $found }` fits several variants; write one of { $known }
not-of-streams = { $measure } belongs to processes, which serve the whole load; leave out `[{ $stream }]`
not-of-requests = { $measure } is known of the whole load alone; leave out { $request }
no-streams = this study has no streams; leave out `[{ $stream }]`
two-constants = both sides are constants; a claim compares at least one measure
same-sides = both sides are the same measure of the same variant; compare two
different-units = { $left } cannot be compared with { $right }: they have different units; compare what has the same unit
wrong-unit = `{ $found }` does not fit: { $measure } is compared with { expected }; write it like { $form }
expectation-of-measure = an expectation is about a measure, without a factor; write throughput(variant)
ends-before-it-begins = { $found } ends before it begins; write the smaller end first
every-value-fits = every value fits this range; write an end that matters
not-a-figure = a published figure is the value of one measure of one variant, above zero; write p99(ajp) @ 100c: 101ms
figure-of-which-point = there are several load points, and none is named; write that of the figure: p99(ajp) @ 100c
no-upper-limit = `{ $text }` sets no upper limit; write it with < or <=
not-of-objectives = `{ $text }`: { $measure } is no part of an objective; write a quantile such as p99, mean, max or errors
never-holds = `{ $text }` can never hold; write a limit above 0

## Subjects.
shares-alone = one variant shares its process with nobody; vary what differs between the variants, or leave shared out
command-shared = only subjects of the catalogue can serve several variants from one process; leave shared out, or make a folder of the catalogue for it
cannot-differ = { $other ->
    [none] { $folder } declares nothing that variants of one process could differ in; leave shared out
   *[other] variants of { $folder } that share a process cannot differ in { $other }; vary { $parameter } alone, or leave shared out
}
needs-parameter = { $folder } needs { $parameter }; write { $parameter } under with ({ $doc })
not-in-every-combination = { $factor } is not in every combination; write its usual value under with: { "{" } { $factor }: … { "}" }
other-factors = row { $row } varies other factors than the first; write { $factors }, or name each combination: plain: { "{}" }
not-applicable = { $when } is not applicable with { $with }: { $because }; with { $when } write { $form }, or exclude the combination
excludes-nothing = excludes nothing; delete it, or write vary
leaves-none = leaves no { thing }; keep more
bad-beginning = `{ $word }` does not begin with { $known }; write words that do, with spaces between them
unknown-placeholder = { "{" }{ $name }{ "}" } stands for nothing; known here: { $known }
no-port = nothing tells the command its port; write { "{port}" } where the command takes it, as in --port { "{port}" }
budget-too-short = { $given_s } are too short for a verdict: the first one takes { $first } { $rounds ->
    [true] rounds
   *[other] restarts
}, with warm-up and checks at least { $needed_s }; give --budget { $budget }, which is enough where answers are slow, or --smoke for a check without a verdict
cycles-of-whole = the load { $load } cannot be cut into slices, as cycles need; leave the mode out, or write serial
unused-factor = the factor { $factor } changes nothing; write { "{" }{ $factor }{ "}" } in command or env
port-twice = port { $port } is that of { $variants } variants, which run at the same time; leave port out and write { "{port}" } where the command needs it
no-program = { $program } is not a program; check its name and its permissions
unknown-format = format { $found } is not known to this version; write { $known }, or use a newer Proofload
leads-out = { $path } leads out of its folder; name a path within it
never-starts = process { $process } comes after one that is not there or comes after it; name processes that can start before it
nul = holds a NUL, which cannot be handed to a program; delete it
different-paths = { $one } is asked of one and { $other } of another; give all addresses the same path, for only the servers may differ
weight-of-one = { $entry } has a weight, which only a mix has; delete the weight, or ask: separately

## Loads.
open-thinks = an open load does not think: its requests leave at their times; delete it
one-number = the connections of an open load are one number; write connections: 64, or auto; the ladder is that of rate
most-below-first = { $most } connections at most are fewer than the { $first } it begins with; raise the most, or lower the first
auto-closed = in a closed loop the connections are the load, and each number of them is another question; write a number, or an open load
start-too-long = the users start over a longer time than the load may take; raise cap or shorten ramp
not-below = { $from } is not below { $to }, the highest rate; write a lower one
flat-ladder = a ladder with steps of no height cannot be; write fewer steps, or a wider span
flat-spike = a spike that is not above its base cannot be; write base..peak
spike-too-long = a spike that ends after its stage cannot be; make the stage longer
amplitude = the amplitude does not fit: no rate goes below 0; write one above 0 and at most the mean
asks-nothing = asks nothing; write more than 0
checkpoints = { $found } checkpoints; a trend needs { $low }, and { $high } are the most; write a longer soak, or another time between checkpoints, such as soak: 2h, checkpoint: 2m
no-length = no load here has a length; delete it; only a closed load with for: or soak: is shortened by it
search-alone = a search has one load; write workload and load alone, for one request at a time
counted-stream = a stream that ends with a count would leave the others alone; write connections, a rate or stages
several-ladders = more than one stream has a ladder; keep one of them
bad-distribution = { $found } has a mean or a median of 0, or a 99th percentile below its median or more than a million times as high; write one such as { $form }
no-largest = sizes of this distribution have no upper end; say the largest: most: 1MiB, or sized:exp:2KiB<1MiB
mixed-stages = some are rates and some are connections; write /s behind all rates
time-goes-back = is before the line above it; write one time in seconds on each line, none before the one above it
trace-over = the trace is over after { $length_s }; write less, or repeat it
bad-lines = { $lines }{ $more ->
    [0] {""}
   *[other] {", "}and { $more } more lines like these
}

## Requests.
not-in-paths = `{ $character }` cannot stand in a path; write { $encoded }
whole-address = a path belongs here, not a whole address; name the server under subjects, and here the path
path-of-subject = has the path { $path }, but what is asked stands in the workload; write http://host:port, and the path under workload
unknown-protocol = { $found } is not a protocol that can be loaded: no WebSocket, HTTP/2 or gRPC yet (docs/peers.md names tools for them); write { $known }
user-in-address = has a user name in it; send a header Authorization instead, with --basic or auth
no-socket-path = { $address } has no path of a socket; write the whole path with %2F for /, as in http+unix://%2Frun%2Fapp.sock/path
socket-path-too-long = { $address } has a socket path of { $length } bytes; the kernel takes at most { $most }, so use a shorter one
one-server = all addresses would lead to one server; write each as http+unix://%2Frun%2Fapp.sock/
not-resolved = { $host } does not resolve ({ $error }); check the name, or write the numeric address
not-local = { $address } is not an address of this machine; `ip address` lists them
other-family = { $to } cannot be reached from { $from }, which is of the other family; bind to addresses of its family, or leave it out
socket-bound = { $to } is a Unix socket, which has no local address; leave bind out
socket-behind-proxy = a Unix socket is not reached by way of a proxy; delete proxy, or write http://host
own-header = { $name } is set by Proofload; { $instead ->
    [none] leave it out
   *[other] write { $instead } for a connection for each request
}
token-spaces = a token has no spaces; write the token alone
feeder-in-basic = { $digest ->
    [true] a value of a feeder cannot stand in user and password of digest; write fixed ones
   *[other] a value of a feeder cannot stand in user and password, which are sent in base64; put the whole value of Authorization into a column
}
user-colon = a user name cannot hold a colon; write user:password
unnamed-part = a part of a form needs a name; write field=value
not-reached = { $error }; check the server and its registry
not-searched = { $measure } is zero of nearly all variants, so nothing is best; search for throughput or a time
head-body = an answer to HEAD has no body; delete it
call-status = a call has no status that all protocols share; delete it: a result is what is expected, an exception or a fault is an error
types-and-arguments = { $types } types for { $arguments } arguments; give each argument its type
no-method = names no method; write { $path }?method=echo
open-placeholder = { "${" } has no { "}" } behind it; write { "${name}" }, or { "$${" } for a literal { "${" }
unknown-feeder = there is no feeder { $found }; known: { $known }; write { "$${" } for a literal { "${" }
which-column = { $feeder } has columns; write { "${" }{ $feeder }.COLUMN{ "}" } with one of { $known }
no-columns = { $feeder } has no columns; write { "${" }{ $feeder }{ "}" } without .{ $column }
drawn-size = { $feeder } has a size that is drawn, which is for bodies; write { "{ random_text: 16 }" }
not-json = is not JSON, which it must be outside of quotes in a body of JSON; write { "${" }{ $name }|json{ "}" } for a string, or { "${" }{ $name }|raw{ "}" } for the value as it is
cannot-keep = the texts of a feeder cannot be kept in { $folder }: { $error }; set TMPDIR to a folder with room
open-quote = the quote that begins here does not end; close it, or write "" for a quote in a quoted value
ragged-row = { $columns } columns, the first row names { $first }; put values with commas in quotes
bad-format = is not { expected }: { $error }; correct it
unnamed-column = column { $column } has no name that can be used; the first row names the columns
no-field = has no { $field }, which the first line has; write it into every line
no-rows = { $file } has no rows; write at least one
framing-value = header { $name } cannot hold a value that changes: it frames the message or the connection; write a fixed value
not-carried = { $calls ->
    [true] a server that speaks { $protocol } is called, not asked for a path; write call: interface.method
   *[other] a method cannot be called by { $protocol }; say what the server speaks, as in speaks: { "{ protocol: dubbo }" } or dubbo://
}
one-argument = json sends one argument, and the call has { $arguments }; speak jsonrpc, or put them into one object or list
cannot-write = { $error }; write another value, or speak another serialization

## Connections.
other-protocol = { $found } is another protocol than { $address } of the address; delete it
no-rmi-name = rmi lacks the name that its registry knows; write name: NAME, or rmi://host:port/NAME on the command line
no-tls = has no meaning for an address without TLS; write https://, or delete it
proxy-scheme = a proxy is spoken to in plain HTTP, not { $scheme }; write http://host:port
not-pem = { $file }: { $error ->
    [none] none of its certificates can be read
   *[other] { $error }
}; write it in PEM
needs-password = { $file } is encrypted; give its password (password under tls, --pass)
wrong-password = { $file }: the password does not open it; give the one that it was written with
old-encryption = { $file } is encrypted in a way that is not read; convert it with: openssl pkcs8 -topk8 -in { $file } -out key.pem
not-pkcs12 = { $file } cannot be read as PKCS#12 ({ $error }); write it anew with: openssl pkcs12 -export -in cert.pem -inkey key.pem -out client.p12
no-authorities = the system has no certificates of authorities{ $error ->
    [none] {""}
   *[other] {" "}({ $error })
}; name a file of them, or install ca-certificates
expired = { $file }: the certificate has expired, on { $at }; get a new one
not-yet-valid = { $file }: the certificate is not valid before { $at }; check the clock of this machine
key-of-another = { $key } is not the key of { $certificate } ({ $error }); give the key that belongs to it
