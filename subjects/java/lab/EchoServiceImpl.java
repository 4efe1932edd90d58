package lab;

import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The handlers of every subject that is called, whichever protocol calls them. */
public class EchoServiceImpl implements EchoService {
    private static final int STEPS = 10_000;

    @Override
    public String echo(String text) {
        return text;
    }

    @Override
    public Person echoPerson(Person person) {
        return person;
    }

    @Override
    public Map<String, Person> echoMap(Map<String, Person> persons) {
        return persons;
    }

    @Override
    public String random(String text) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        StringBuilder made = new StringBuilder();
        for (int step = 0; step < STEPS; step++) {
            made.append(random.nextInt(1000));
        }
        // The answer depends on all of it, so that no compiler leaves the work out, and is hardly longer than the
        // question.
        return text + ":" + Integer.toHexString(made.toString().hashCode());
    }
}
