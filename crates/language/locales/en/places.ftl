places-agents = agents
places-network = network
places-agents-on = { $agents ->
    [one] 1 agent
   *[other] { $agents } agents
} on { $hosts }{ $more ->
    [0] {""}
   *[other] {" "}and { $more } more
}
places-small-exchange = a small exchange with a server that does nothing takes { $p50 } (p50), { $p99 } (p99)
places-large-answers = answers of 64 KiB come at { $megabits }
places-not-measured = not measured: { $why }
there-carried = goes along: { $file }, { $bytes ->
    [one] 1 byte
   *[other] { $bytes } bytes
}
there-hidden = { $file } is hidden, and the study names it: hidden files go to no other machine; give it another name if it may
there-link = { $file } is a link, or lies behind one: what links lead to goes to no other machine; put the file itself there
there-manifest-secrets = the token, these files and what is set in the study ({ $settings }) stand in Secrets of the manifest, for everybody who reads it: treat it as a password
there-no-record = the run elsewhere ended and brought no record
there-waits = the servers' machine waits for { $agents ->
    [one] 1 agent
   *[other] { $agents } agents
} at { $at }
there-waits-in-pod = the coordinator waits for its agents at { $at }
there-agent-ended = the { $agent } ended ({ $how })
there-in-vain = the run is ended: it cannot give a result any more
agents-waited-for = waiting for { $agents ->
    [one] 1 agent
   *[other] { $agents } agents
} at { $at }
agents-clock = agent { $index } ({ $host } { $address }): its clock was { $ahead } from this one, ± { $within }
agents-dealt = agent { $index } of { $agents }, at { $at }
agents-goodbye = the coordinator says goodbye after { $loads ->
    [one] 1 load
   *[other] { $loads } loads
}
agents-went-on = { $lost }; the others went on without its share
agents-numbered = agent { $index } ({ $host } { $address })
agents-unnumbered = an agent ({ $host } { $address })
agents-joined = { $who } joined, { $came } of { $of }
agents-left = { $who } left: { $why }
agents-refused = { $who } was refused: { $why }
