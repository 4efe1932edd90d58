import java.io.File;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.servlet.Servlet;
import javax.servlet.ServletException;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Host;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.core.StandardWrapper;
import org.apache.catalina.loader.WebappLoader;
import org.apache.catalina.startup.Embedded;
import org.apache.catalina.util.ServerInfo;

/** A Tomcat 6, whose embedding is not that of its successors; {@link Connectors} says what its arguments are. */
public final class Tomcat6Subject {
    private Tomcat6Subject() {}

    public static void main(String[] args) throws Exception {
        Connectors connectors = new Connectors(args);
        File root = new File(connectors.directory, "webapps/ROOT");
        if (!root.mkdirs()) {
            throw new IOException("cannot make " + root);
        }
        Embedded tomcat = new Embedded();
        tomcat.setCatalinaHome(connectors.directory);
        tomcat.setCatalinaBase(connectors.directory);
        Engine engine = tomcat.createEngine();
        engine.setName("Catalina");
        engine.setDefaultHost("localhost");
        Host host = tomcat.createHost("localhost", root.getParent());
        host.addChild(context(root));
        engine.addChild(host);
        tomcat.addEngine(engine);
        for (Connector connector : connectors.all) {
            tomcat.addConnector(connector);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(tomcat)));
        try {
            tomcat.start();
        } catch (LifecycleException why) {
            why.printStackTrace();
            // Threads that have begun would keep it alive.
            System.exit(1);
        }
        for (Connector connector : connectors.all) {
            System.out.println(connector.getProtocolHandlerClassName() + " on port " + connector.getPort()
                    + "; " + ServerInfo.getServerInfo() + "; " + Answers.machine());
        }
        // The connectors' threads are daemons.
        new CountDownLatch(1).await();
    }

    private static Context context(File root) throws ReflectiveOperationException {
        StandardContext context = new StandardContext();
        context.setPath("");
        context.setDocBase(root.getPath());
        // Without a web.xml nobody else says that it is configured, and one that is not would not start.
        context.addLifecycleListener(event -> {
            if (event.getType().equals(Lifecycle.START_EVENT)) {
                context.setConfigured(true);
            }
        });
        context.setLoader(new WebappLoader(Tomcat6Subject.class.getClassLoader()));
        Map<String, Servlet> servlets = new LinkedHashMap<>(Servlets.plain());
        servlets.put("/value", new Servlets.Value());
        servlets.put("/query", new Servlets.Query());
        servlets.forEach((path, servlet) -> {
            StandardWrapper wrapper = new Ready(servlet);
            wrapper.setName(path.substring(1));
            wrapper.setServletClass(servlet.getClass().getName());
            wrapper.setLoadOnStartup(1);
            context.addChild(wrapper);
            context.addServletMapping(path, wrapper.getName());
        });
        return context;
    }

    private static void stop(Embedded tomcat) {
        try {
            tomcat.stop();
        } catch (LifecycleException e) {
            e.printStackTrace();
        }
    }

    /** The wrapper of a servlet that is already there. */
    private static final class Ready extends StandardWrapper {
        private static final long serialVersionUID = 1L;
        private final transient Servlet servlet;

        Ready(Servlet servlet) {
            this.servlet = servlet;
        }

        @Override
        public synchronized Servlet loadServlet() throws ServletException {
            if (instance == null) {
                servlet.init(facade);
                instance = servlet;
            }
            return instance;
        }
    }
}
