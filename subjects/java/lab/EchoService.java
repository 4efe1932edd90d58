package lab;

import java.util.Map;

/**
 * What is called on subjects with procedures. Each method has a name of its own: not every protocol tells overloads
 * apart.
 */
public interface EchoService {
    /** The text itself. */
    String echo(String text);

    /** The person itself. */
    Person echoPerson(Person person);

    /** The persons themselves. */
    Map<String, Person> echoMap(Map<String, Person> persons);

    /** The text and a hash of 10,000 random numbers: work for the CPU. */
    String random(String text);
}
