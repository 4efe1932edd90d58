import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.StringJoiner;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;

/**
 * One Tomcat with a connector for each endpoint and two servlets.
 *
 * <p>Arguments: endpoints as {@code nio:8080,nio2:8081}, a directory of its own, and properties of every connector as
 * {@code name=value}.
 */
public final class TomcatSubject {
    private static final int ANSWER_BYTES = 1024;
    private static final int BODY_BYTES_MAX = 1 << 20;

    private TomcatSubject() {}

    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            fail("arguments: endpoints directory property=value...");
        }
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[1]);
        List<Connector> connectors = new ArrayList<>();
        for (String endpoint : args[0].split(",")) {
            String[] parts = endpoint.split(":");
            if (parts[0].equals("apr")) {
                tomcat.getServer().addLifecycleListener(new AprLifecycleListener());
            }
            Connector connector = connector(parts[0], Integer.parseInt(parts[1]));
            for (String property : Arrays.asList(args).subList(2, args.length)) {
                String[] pair = property.split("=", 2);
                set(connector, pair[0], pair[0].endsWith("Timeout") ? millis(pair[1]) : pair[1]);
            }
            tomcat.getService().addConnector(connector);
            connectors.add(connector);
        }
        tomcat.setConnector(connectors.get(0));
        Context context = tomcat.addContext("", new File(args[1]).getAbsolutePath());
        Tomcat.addServlet(context, "echo", new Echo()).setLoadOnStartup(1);
        context.addServletMappingDecoded("/echo", "echo");
        Tomcat.addServlet(context, "thread", new Who()).setLoadOnStartup(1);
        context.addServletMappingDecoded("/thread", "thread");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(tomcat)));
        tomcat.start();
        for (Connector connector : connectors) {
            // A connector that cannot listen does not stop Tomcat from starting.
            if (connector.getState() != LifecycleState.STARTED) {
                fail("a connector did not start: " + connector + " " + connector.getStateName());
            }
            System.out.println(connector.getProtocolHandlerClassName() + " on port " + connector.getPort()
                    + "; " + ServerInfo.getServerInfo() + "; " + machine());
        }
        tomcat.getServer().await();
    }

    private static Connector connector(String name, int port) {
        String protocol;
        switch (name) {
            case "nio": protocol = "org.apache.coyote.http11.Http11NioProtocol"; break;
            case "nio2": protocol = "org.apache.coyote.http11.Http11Nio2Protocol"; break;
            case "apr": protocol = "org.apache.coyote.http11.Http11AprProtocol"; break;
            default: throw new IllegalArgumentException("connector " + name);
        }
        Connector connector = new Connector(protocol);
        connector.setPort(port);
        set(connector, "address", "127.0.0.1");
        return connector;
    }

    private static void set(Connector connector, String name, String value) {
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

    private static String machine() {
        StringJoiner collectors = new StringJoiner(", ");
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            collectors.add(bean.getName());
        }
        return "Java " + System.getProperty("java.version")
                + ", processors " + Runtime.getRuntime().availableProcessors()
                + ", collectors " + collectors;
    }

    private static void stop(Tomcat tomcat) {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            e.printStackTrace();
        }
    }

    private static void fail(String why) {
        System.err.println(why);
        System.exit(1);
    }

    /** Answers the name of the thread that serves it; that of a virtual one holds {@code virt}. */
    private static final class Who extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] name = Thread.currentThread().getName().getBytes(StandardCharsets.UTF_8);
            response.setContentType("text/plain;charset=UTF-8");
            response.setContentLength(name.length);
            response.getOutputStream().write(name);
        }
    }

    /** GET answers 1,024 bytes, or the parameter t where there is one; any other method answers its body. */
    private static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1L;
        private static final byte[] ANSWER = new byte[ANSWER_BYTES];

        static {
            Arrays.fill(ANSWER, (byte) 'x');
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (request.getMethod().equals("GET") || request.getMethod().equals("HEAD")) {
                // Asked first, since looking for a parameter costs more than the answer.
                String text = request.getQueryString() == null ? null : request.getParameter("t");
                byte[] bytes = text == null ? ANSWER : text.getBytes(StandardCharsets.UTF_8);
                answer(response, "text/plain;charset=UTF-8", bytes);
                return;
            }
            byte[] body = body(request.getInputStream());
            if (body == null) {
                response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
            } else {
                answer(response, "application/octet-stream", body);
            }
        }

        private static void answer(HttpServletResponse response, String type, byte[] body) throws IOException {
            response.setContentType(type);
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
        }

        /** The body; null when it is longer than the limit. */
        private static byte[] body(InputStream in) throws IOException {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] chunk = new byte[8192];
            for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
                if (out.size() + n > BODY_BYTES_MAX) {
                    return null;
                }
                out.write(chunk, 0, n);
            }
            return out.toByteArray();
        }
    }
}
