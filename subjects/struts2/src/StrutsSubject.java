import java.io.File;
import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import javax.servlet.Servlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.Context;
import org.apache.catalina.Wrapper;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import subject.EchoAction;

/**
 * A Tomcat in which an action of Struts answers /echo, or the servlet that it is compared with; {@link Connectors} says
 * what its arguments are.
 */
public final class StrutsSubject {
    private StrutsSubject() {}

    public static void main(String[] args) throws Exception {
        Connectors connectors = new Connectors(args);
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(connectors.directory);
        for (Connector connector : connectors.all) {
            tomcat.getService().addConnector(connector);
        }
        tomcat.setConnector(connectors.all.get(0));
        Context context = tomcat.addContext("", new File(connectors.directory).getAbsolutePath());
        String filter = System.getProperty("subject.filter");
        for (Map.Entry<String, Servlet> servlet : Servlets.plain().entrySet()) {
            Wrapper wrapper = Tomcat.addServlet(context, servlet.getKey().substring(1), servlet.getValue());
            wrapper.setLoadOnStartup(1);
            // Only the filter answers what no servlet is there for.
            if (filter == null || !servlet.getKey().equals("/echo")) {
                wrapper.addMapping(servlet.getKey());
            }
        }
        if (filter != null) {
            EchoAction.answer = StrutsSubject::answer;
            // A request that no servlet would take does not reach a filter.
            Tomcat.addServlet(context, "default", "org.apache.catalina.servlets.DefaultServlet").addMapping("/");
            context.addServletContainerInitializer(
                    (classes, application) -> application.addFilter("struts", filter)
                            .addMappingForUrlPatterns(null, false, "/echo", "/echo!echo"),
                    Collections.emptySet());
        }
        Running.untilEnded(tomcat);
    }

    private static void answer(HttpServletRequest request, HttpServletResponse response, String text)
            throws IOException {
        if (Servlets.isGet(request)) {
            Servlets.answer(response, Answers.TEXT, Answers.echo(text));
        } else {
            Servlets.sendBack(request, response);
        }
    }
}
