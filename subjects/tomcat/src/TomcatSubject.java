import java.io.File;
import java.util.Map;
import javax.servlet.Servlet;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat from 7 on, with a connector for each endpoint; {@link Connectors} says what its arguments are. */
public final class TomcatSubject {
    private TomcatSubject() {}

    public static void main(String[] args) throws Exception {
        Connectors connectors = new Connectors(args);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(connectors.directory);
        if (connectors.needsNative()) {
            tomcat.getServer().addLifecycleListener(new AprLifecycleListener());
        }
        for (Connector connector : connectors.all) {
            tomcat.getService().addConnector(connector);
        }
        tomcat.setConnector(connectors.all.get(0));
        Context context = tomcat.addContext("", new File(connectors.directory).getAbsolutePath());
        for (Map.Entry<String, Servlet> servlet : Servlets.plain().entrySet()) {
            add(context, servlet.getKey(), servlet.getValue());
        }
        Pools pools = new Pools(System.getProperty("subject.pools"), Integer.getInteger("subject.pool_threads", 0));
        add(context, "/value", pools.values());
        add(context, "/query", pools.queries());
        Running.untilEnded(tomcat);
    }

    private static void add(Context context, String path, Servlet servlet) {
        Wrapper wrapper = Tomcat.addServlet(context, path.substring(1), servlet);
        wrapper.setLoadOnStartup(1);
        wrapper.setAsyncSupported(true);
        wrapper.addMapping(path);
    }
}
