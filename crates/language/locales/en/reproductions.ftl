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
reproductions-tally-conclusions = { $outcomes ->
    [one] conclusion
   *[other] conclusions
}
reproductions-tally = { $outcomes } { $noun }: { $each }.
published-by = published: { $published_in }
measured-on-ended = ; { $ended }
measured-on-measured-preset-budget-min = measured: { $date }, preset { $preset }, budget { $minutes } min, blocks { $blocks }{ $ended }
set-differently = not as the study's file has it: { $settings }
measured-with-unknown-cpu = unknown CPU
measured-with-cpus = { $cpus ->
    [one] CPU
   *[other] CPUs
}
measured-with-machine-linux-proofload = machine: { $model }, { $cpus } { $noun }, { $environment }, Linux { $kernel }; Proofload { $proofload }
of-conclusion = { $says }: { $sentence }
summary-columns = study | conclusion | was | here | outcome
study-conclusion-columns = conclusion | was | tested by | here | blocks | outcome
