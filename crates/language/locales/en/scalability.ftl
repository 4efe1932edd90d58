scalability = Scalability
not-observed-up-to = not observed up to { $highest }
scalability-columns = variant | most answered | response at low load | knee, connections | 95 % of the most from | peak, connections | based on | note
ladder = { $points } load points, { $first } to { $last } connections, { $blocks }
ladder-of-one = { $only } connections, { $blocks }
