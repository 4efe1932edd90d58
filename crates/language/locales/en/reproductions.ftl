reproductions = Published experiments, repeated
reproductions-head = `proofload reproductions` wrote this page from the records that it names; change them, not it. From each record `proofload report` computes every verdict again. Figures and conclusions are those of the named sources; what is found is of today's versions on the machine that stands with it. [What the words mean](method/answers.md#published-conclusions-and-figures).
no-reproductions = No record is here yet.
study-conclusions = Conclusions
study-figures = Published and found
study-not-tested = Not tested
further-claims = Further claims of the study
repeat = Again
measure-again = # measure it again
compute-again = # compute every verdict again from the record
concludes-nothing = The study names no published conclusion.
published-by = published: { $published_in }
set-differently = not as the study's file has it: { $settings }
summary-columns = study | conclusion | was | here | outcome
study-conclusion-columns = conclusion | was | tested by | here | blocks | outcome
reproductions-tally = { $outcomes ->
    [one] 1 conclusion
   *[other] { $outcomes } conclusions
}: { $each }.
measured-on = measured: { $date }, preset { $preset }, budget { $minutes } min, blocks { $blocks }{ $ended ->
    [none] {""}
   *[other] ; { $ended }
}
measured-with = machine: { $model ->
    [none] unknown CPU
   *[other] { $model }
}, { $cpus ->
    [one] 1 CPU
   *[other] { $cpus } CPUs
}, { $memory }, Linux { $kernel }; Proofload { $proofload }
