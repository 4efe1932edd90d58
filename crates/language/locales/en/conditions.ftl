asked-with = asked only with { $conditions }
conditions-how = { $vary ->
    [true] varied over the blocks: { $all }
   *[false] fixed: { $all }
}
condition-cpus-kept-awake = CPUs kept awake
condition-cpus-that-may-sleep = CPUs that may sleep
condition-generator-on-cpus = the generator on CPUs { $cpus }
condition-generator-on-cpu = the generator on CPU { $cpu }
condition-one-event = one event at a time
condition-events = up to { $events } events at once
condition-answers-together = answers taken together
condition-answers-one-by-one = answers taken one by one
condition-one-thread = one thread of the generator
condition-threads = { $workers } threads of the generator
condition-raised-priority = raised generator priority
condition-usual-priority = usual generator priority
condition-environment = { $bytes } bytes more in the environment
condition-connections = connections { $order }
condition-extra-warm-up = { $time } more of warm-up
