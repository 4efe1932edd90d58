import java.io.File;
import java.util.Arrays;
import java.util.Map;
import javax.servlet.Servlet;
import javax.servlet.ServletContext;
import javax.servlet.ServletRegistration;
import org.apache.catalina.Context;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

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
        Map<String, Servlet> plain = Servlets.plain();
        // In the API of Java rather than of Tomcat, whose names have changed between the versions.
        context.addServletContainerInitializer(
                (classes, servlets) -> plain.forEach((path, servlet) -> serve(servlets, path, servlet)), null);
        Running.untilEnded(tomcat);
    }

    private static void serve(ServletContext servlets, String path, Servlet servlet) {
        ServletRegistration.Dynamic registration = servlets.addServlet(path, servlet);
        registration.setLoadOnStartup(1);
        registration.addMapping(path);
    }

    private static void set(Connector connector, String name, String value) {
        if (!connector.setProperty(name, value)) {
            throw new IllegalArgumentException("the connector knows no " + name);
        }
    }
}
