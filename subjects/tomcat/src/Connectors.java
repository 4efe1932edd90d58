import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.catalina.connector.Connector;

/**
 * The connectors of any Tomcat, from the program's arguments.
 *
 * <p>Arguments: endpoints as {@code nio:8080,ajp-nio:8081}, a directory of the server's own, and settings of every
 * connector as {@code name=value}, by the names of Tomcat's server.xml; those for AJP alone begin with {@code ajp.}.
 */
final class Connectors {
    private static final String AJP = "ajp-";
    private static final String AJP_SETTING = "ajp.";
    private static final List<String> HTTP_SETTINGS = Arrays.asList(
            "compression", "compressionMinSize", "compressibleMimeType", "compressableMimeType", "maxKeepAliveRequests");

    final String directory;
    final List<Connector> all = new ArrayList<>();
    private boolean needsNative;

    Connectors(String[] args) throws Exception {
        if (args.length < 2) {
            throw new IllegalArgumentException("arguments: endpoints directory setting=value...");
        }
        directory = args[1];
        for (String endpoint : args[0].split(",")) {
            String[] parts = endpoint.split(":");
            needsNative |= parts[0].endsWith("apr");
            Connector connector = new Connector(protocol(parts[0]));
            connector.setPort(Integer.parseInt(parts[1]));
            set(connector, "address", System.getProperty("subject.address", "127.0.0.1"));
            setAll(connector, parts[0].startsWith(AJP), Arrays.asList(args).subList(2, args.length));
            all.add(connector);
        }
    }

    /** Whether one of them needs the native library, which a listener of the server loads. */
    boolean needsNative() {
        return needsNative;
    }

    private static String protocol(String name) {
        switch (name) {
            case "bio": return "org.apache.coyote.http11.Http11Protocol";
            case "nio": return "org.apache.coyote.http11.Http11NioProtocol";
            case "nio2": return "org.apache.coyote.http11.Http11Nio2Protocol";
            case "apr": return "org.apache.coyote.http11.Http11AprProtocol";
            case "ajp-bio": return "org.apache.coyote.ajp.AjpProtocol";
            case "ajp-nio": return "org.apache.coyote.ajp.AjpNioProtocol";
            case "ajp-nio2": return "org.apache.coyote.ajp.AjpNio2Protocol";
            case "ajp-apr": return "org.apache.coyote.ajp.AjpAprProtocol";
            default: throw new IllegalArgumentException("connector " + name);
        }
    }

    private static void setAll(Connector connector, boolean ajp, List<String> settings) {
        for (String setting : settings) {
            String[] pair = setting.split("=", 2);
            boolean ofAjp = pair[0].startsWith(AJP_SETTING);
            if (ajp ? HTTP_SETTINGS.contains(pair[0]) : ofAjp) {
                continue;
            }
            String name = ofAjp ? pair[0].substring(AJP_SETTING.length()) : pair[0];
            set(connector, name, name.endsWith("Timeout") ? millis(pair[1]) : pair[1]);
        }
    }

    private static void set(Connector connector, String name, String value) {
        switch (name) {
            // Settings of the connector itself; all others are those of its protocol.
            case "URIEncoding": connector.setURIEncoding(value); return;
            case "enableLookups": connector.setEnableLookups(Boolean.parseBoolean(value)); return;
            default:
        }
        if (!connector.setProperty(name, value)) {
            throw new IllegalArgumentException("the connector knows no " + name);
        }
    }

    /** 20s and 500ms in milliseconds, as Tomcat wants them. */
    private static String millis(String duration) {
        int at = 0;
        while (at < duration.length() && (Character.isDigit(duration.charAt(at)) || duration.charAt(at) == '.')) {
            at++;
        }
        double number = Double.parseDouble(duration.substring(0, at));
        switch (duration.substring(at)) {
            case "us": return Long.toString(Math.round(number / 1000));
            case "ms": return Long.toString(Math.round(number));
            case "s": return Long.toString(Math.round(number * 1000));
            case "m": return Long.toString(Math.round(number * 60_000));
            case "h": return Long.toString(Math.round(number * 3_600_000));
            default: throw new IllegalArgumentException("duration " + duration);
        }
    }
}
