import java.io.File;
import java.io.IOException;
import java.util.Arrays;
import javax.servlet.ServletContext;
import javax.servlet.ServletRegistration;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;

/**
 * One Tomcat with one connector, which speaks AJP or HTTP to the server in front of it.
 *
 * <p>Arguments: class of the protocol, port, a directory of its own, and properties of the connector as {@code name=value}.
 */
public final class Backend {
    private Backend() {}

    public static void main(String[] args) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(args[2]);
        Connector connector = new Connector(args[0]);
        connector.setPort(Integer.parseInt(args[1]));
        // Tomcat 7 takes ISO-8859-1 otherwise.
        connector.setURIEncoding("UTF-8");
        set(connector, "address", "127.0.0.1");
        // A port that is bound before Tomcat can answer would look ready to the front.
        set(connector, "bindOnInit", "false");
        for (String property : Arrays.asList(args).subList(3, args.length)) {
            String[] pair = property.split("=", 2);
            set(connector, pair[0], pair[1]);
        }
        tomcat.getService().addConnector(connector);
        tomcat.setConnector(connector);
        Context context = tomcat.addContext("", new File(args[2]).getAbsolutePath());
        // In the API of Java rather than of Tomcat, whose names have changed between the versions.
        context.addServletContainerInitializer((classes, servlets) -> {
            serve(servlets, "/echo", new Echo());
            serve(servlets, "/test", new Page());
            serve(servlets, "/thread", new Who());
        }, null);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(tomcat)));
        tomcat.start();
        // A connector that cannot listen does not stop Tomcat from starting.
        if (connector.getState() != LifecycleState.STARTED) {
            System.err.println("the connector did not start: " + connector.getStateName());
            System.exit(1);
        }
        System.out.println(args[0] + " on port " + args[1] + "; " + ServerInfo.getServerInfo() + "; " + Answers.machine());
        tomcat.getServer().await();
    }

    private static void serve(ServletContext servlets, String path, HttpServlet servlet) {
        ServletRegistration.Dynamic registration = servlets.addServlet(path, servlet);
        registration.setLoadOnStartup(1);
        registration.addMapping(path);
    }

    private static void set(Connector connector, String name, String value) {
        if (!connector.setProperty(name, value)) {
            throw new IllegalArgumentException("the connector knows no " + name);
        }
    }

    private static void stop(Tomcat tomcat) {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            e.printStackTrace();
        }
    }

    private static void answer(HttpServletResponse response, String type, byte[] body) throws IOException {
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    private static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            // Asked first, since looking for a parameter costs more than the answer.
            String text = request.getQueryString() == null ? null : request.getParameter("t");
            answer(response, Answers.TEXT, Answers.echo(text));
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] body = Answers.body(request.getInputStream());
            if (body == null) {
                response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
            } else {
                answer(response, Answers.BYTES, body);
            }
        }
    }

    private static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, Answers.TEXT, Answers.page());
        }
    }

    private static final class Who extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, Answers.TEXT, Answers.thread());
        }
    }
}
