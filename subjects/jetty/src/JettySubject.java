import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.VirtualThreads;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/**
 * One Jetty with a connector and three servlets.
 *
 * <p>Arguments: port, platform or virtual, most threads, acceptors, selectors, length of the accept queue.
 */
public final class JettySubject {
    private JettySubject() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        QueuedThreadPool threads = new QueuedThreadPool(Integer.parseInt(args[2]));
        if (args[1].equals("virtual")) {
            // Acceptors and selectors stay on threads of the pool; what serves a request gets a virtual one.
            threads.setVirtualThreadsExecutor(VirtualThreads.getNamedVirtualThreadsExecutor("jetty-virt-"));
        }
        Server server = new Server(threads);
        ServerConnector connector = new ServerConnector(
                server, Integer.parseInt(args[3]), Integer.parseInt(args[4]), new HttpConnectionFactory());
        connector.setHost("127.0.0.1");
        connector.setPort(port);
        connector.setAcceptQueueSize(Integer.parseInt(args[5]));
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        serve(context, "/echo", new Echo());
        serve(context, "/thread", new Who());
        serve(context, "/wait", new Wait());
        server.setHandler(context);
        server.setStopAtShutdown(true);
        server.start();
        System.out.println("Jetty " + Server.getVersion() + " on port " + port + "; " + Answers.machine());
        server.join();
    }

    private static void serve(ServletContextHandler context, String path, HttpServlet servlet) {
        ServletHolder holder = new ServletHolder(servlet);
        holder.setInitOrder(1);
        context.addServlet(holder, path);
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

    private static final class Who extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, Answers.TEXT, Answers.thread());
        }
    }

    private static final class Wait extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                answer(response, Answers.TEXT, Answers.query());
            } catch (InterruptedException e) {
                // Only the end of the server interrupts.
                response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            }
        }
    }
}
