ui-open = open this address in a browser: whoever has it can read the runs; Ctrl-C ends it
ui-runs = Runs
ui-all-runs = All runs
ui-search = Search
ui-search-for = study, answer, machine, date …
ui-compare = Compare the two chosen
ui-columns = {" "}| study | began | state | answer | length | machine
ui-no-match = No run matches. Words are looked for in study, question, id, date, state, preset, answer and machine; each must be there.
ui-no-runs = No runs yet
ui-first-url = measures a server that is running, in ten seconds
ui-first-compare = says which of two running servers is faster
ui-first-study = writes a first study, starts its servers and judges its claims
ui-appears = Each leaves a record in the folder above, and appears here by itself.
ui-running = Running now
ui-still-open = open
ui-so-far = Verdicts and figures rest on the complete blocks so far and may change until the last look. Charts over time and percentiles have the slices of the block being measured, too.
ui-first-block = There are no verdicts and figures before the first block is complete.
ui-last = The last slice of each variant
ui-last-columns = variant | load | phase | throughput | p50 | p99
ui-two-runs = Two runs side by side
ui-choose-two = Choose two runs in the list, then compare them.
ui-not-there = There is no such run, or not any more.
ui-single = One of them is a single measurement (proofload URL): it has no blocks, so its figures have no intervals to be compared by. For two running servers use: proofload compare URL URL
ui-side-columns = {" "}| first | second
ui-swap = Swap the two
ui-no-claims = Neither run has claims.
ui-same = Nothing differs.
ui-differs = differs
ui-with-before = Compare with the run before
ui-nothing = There is nothing at this address.
ui-lost = proofload ui does not answer any more: it was ended, or cannot be reached. What is shown is as of the last answer.
# The status follows.
ui-failed-since = What is shown is as of the last answer. Since then proofload ui answers with the error
ui-refused-host = Refused: this page is for 127.0.0.1 and localhost only.
ui-refused-token = Refused: open the whole address that proofload ui printed; each start has another one.
ui-refused-origin = Refused: asked by a page of another origin.
ui-refused-method = Refused: this page can be read only (GET, HEAD).
ui-refused-body = Refused: a request must not have a body.
ui-failed = This page could not be made; this is a fault of Proofload, please report it.
ui-in-folder = in { $folder }
ui-shown-of = The newest { $shown } of { $all } are shown: search for the others.
ui-choose = compare { $study } { $id }
ui-length-single = one measurement
ui-block = Block { $number } is being measured.
ui-block-of = Block { $number } of at most { $most } is being measured.
ui-slices-none = No slice of it is complete: servers are starting or warming up.
ui-slices = { $done ->
    [one] 1 slice of it is complete.
   *[other] { $done } slices of it are complete.
}
ui-slices-of = { $done } of its { $expected } slices are complete.
ui-complete = { $n ->
    [one] 1 block is complete.
   *[other] { $n } blocks are complete.
}
ui-time-left = Open: { $left }.
# What stands between the sentences of a paragraph.
ui-same-facts = { $n ->
    [one] 1 fact is the same
   *[other] { $n } facts are the same
}
ui-unread = This record cannot be read: { $why }
ui-unread-folder = The folder { $folder } cannot be read, and its runs are not shown: { $why }
ui-odd = { $path } is a link, a pipe or a device, which could lead out of the record; remove it
ui-measuring = Measuring on this machine: { $pid ->
    [none] another process
   *[other] process { $pid }
}{ $what ->
    [none] {""}
   *[other] {" "}({ $what })
}{ $since ->
    [none] {""}
   *[other] {" "}since { $since }
}. This page gives way to it, a browser here does not: follow from another machine, or close this tab.
