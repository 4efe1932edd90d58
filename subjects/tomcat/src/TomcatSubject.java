import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.StringJoiner;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/**
 * One Tomcat with one connector and one servlet.
 *
 * <p>Arguments: connector (nio or nio2), port, most threads, a directory of its own.
 */
public final class TomcatSubject {
    private static final int ANSWER_BYTES = 1024;
    private static final int BODY_BYTES_MAX = 1 << 20;
    /** Tomcat's own 100 overflows when hundreds of connections come at once, and costs each a second. */
    private static final int BACKLOG = 1024;

    private TomcatSubject() {}

    public static void main(String[] args) throws Exception {
        if (args.length != 4) {
            fail("arguments: connector port threads directory");
        }
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[3]);
        Connector connector = connector(args[0], Integer.parseInt(args[1]), args[2]);
        tomcat.getService().addConnector(connector);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", new File(args[3]).getAbsolutePath());
        Tomcat.addServlet(context, "echo", new Echo()).setLoadOnStartup(1);
        context.addServletMappingDecoded("/echo", "echo");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(tomcat)));
        tomcat.start();
        // A connector that cannot listen does not stop Tomcat from starting.
        if (connector.getState() != LifecycleState.STARTED) {
            fail("the connector did not start: " + connector.getStateName());
        }
        System.out.println(connector.getProtocolHandlerClassName() + " on port " + args[1] + "; " + machine());
        tomcat.getServer().await();
    }

    private static Connector connector(String name, int port, String threads) {
        String protocol;
        switch (name) {
            case "nio": protocol = "org.apache.coyote.http11.Http11NioProtocol"; break;
            case "nio2": protocol = "org.apache.coyote.http11.Http11Nio2Protocol"; break;
            default: throw new IllegalArgumentException("connector " + name);
        }
        Connector connector = new Connector(protocol);
        connector.setPort(port);
        set(connector, "address", "127.0.0.1");
        set(connector, "maxThreads", threads);
        set(connector, "acceptCount", Integer.toString(BACKLOG));
        // By default Tomcat closes a connection after 100 requests; then connecting would be measured as well.
        set(connector, "maxKeepAliveRequests", "-1");
        return connector;
    }

    private static void set(Connector connector, String name, String value) {
        if (!connector.setProperty(name, value)) {
            throw new IllegalArgumentException("the connector knows no " + name);
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
