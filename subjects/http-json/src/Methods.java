import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import lab.EchoService;
import lab.EchoServiceImpl;
import lab.Person;

/** The methods of the service by name, each with an argument that is read from JSON. */
final class Methods {
    final ObjectMapper json;
    private final Map<String, Method<?>> all = new LinkedHashMap<>();

    Methods(ObjectMapper json) {
        this.json = json;
        EchoService service = new EchoServiceImpl();
        JavaType text = json.constructType(String.class);
        all.put("echo", new Method<String>(text, service::echo));
        all.put("echoPerson", new Method<Person>(json.constructType(Person.class), service::echoPerson));
        JavaType persons = json.constructType(new TypeReference<Map<String, Person>>() {});
        all.put("echoMap", new Method<Map<String, Person>>(persons, service::echoMap));
        all.put("random", new Method<String>(text, service::random));
    }

    Set<String> names() {
        return all.keySet();
    }

    /** Calls a method with an argument as it was sent. */
    Object call(String name, byte[] argument) throws IOException {
        return all.get(name).call(json, argument);
    }

    /** Calls a method with an argument that was a part of something sent. */
    Object call(String name, JsonNode argument) throws IOException {
        return all.get(name).call(json, argument);
    }

    /** A handler with the type of its argument. */
    private static final class Method<T> {
        private final JavaType type;
        private final Function<T, ?> handler;

        Method(JavaType type, Function<T, ?> handler) {
            this.type = type;
            this.handler = handler;
        }

        Object call(ObjectMapper json, byte[] argument) throws IOException {
            T value = json.readValue(argument, type);
            return handler.apply(value);
        }

        Object call(ObjectMapper json, JsonNode argument) throws IOException {
            T value = json.readerFor(type).readValue(argument);
            return handler.apply(value);
        }
    }
}
