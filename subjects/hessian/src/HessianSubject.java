import com.caucho.hessian.server.HessianServlet;
import java.io.File;
import java.util.Map;
import javax.servlet.Servlet;
import lab.EchoService;
import lab.EchoServiceImpl;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat with Hessian's servlet at /hessian beside the plain ones; {@link Connectors} says what its arguments are. */
public final class HessianSubject {
    private HessianSubject() {}

    public static void main(String[] args) throws Exception {
        Connectors connectors = new Connectors(args);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(connectors.directory);
        for (Connector connector : connectors.all) {
            tomcat.getService().addConnector(connector);
        }
        tomcat.setConnector(connectors.all.get(0));
        Context context = tomcat.addContext("", new File(connectors.directory).getAbsolutePath());
        for (Map.Entry<String, Servlet> servlet : Servlets.plain().entrySet()) {
            add(context, servlet.getKey(), servlet.getValue());
        }
        HessianServlet called = new HessianServlet();
        called.setHome(new EchoServiceImpl());
        called.setHomeAPI(EchoService.class);
        add(context, "/hessian", called);
        Running.untilEnded(tomcat);
    }

    private static void add(Context context, String path, Servlet servlet) {
        Wrapper wrapper = Tomcat.addServlet(context, path.substring(1), servlet);
        wrapper.setLoadOnStartup(1);
        wrapper.addMapping(path);
    }
}
