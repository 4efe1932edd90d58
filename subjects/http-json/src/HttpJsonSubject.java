import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.servlet.Servlet;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;

/** A Tomcat with a service in JSON beside the plain servlets; {@link Connectors} says what its arguments are. */
public final class HttpJsonSubject {
    private HttpJsonSubject() {}

    public static void main(String[] args) throws Exception {
        Connectors connectors = new Connectors(args);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(connectors.directory);
        for (Connector connector : connectors.all) {
            tomcat.getService().addConnector(connector);
        }
        tomcat.setConnector(connectors.all.get(0));
        Context context = tomcat.addContext("", new File(connectors.directory).getAbsolutePath());
        Map<String, Servlet> servlets = new LinkedHashMap<>(Servlets.plain());
        Methods methods = new Methods(new ObjectMapper());
        for (String method : methods.names()) {
            servlets.put("/" + method, new JsonServlets.Rest(methods, method));
        }
        servlets.put("/rpc", new JsonServlets.Rpc(methods));
        for (Map.Entry<String, Servlet> servlet : servlets.entrySet()) {
            Wrapper wrapper = Tomcat.addServlet(context, servlet.getKey().substring(1), servlet.getValue());
            wrapper.setLoadOnStartup(1);
            wrapper.addMapping(servlet.getKey());
        }
        Running.untilEnded(tomcat);
    }
}
