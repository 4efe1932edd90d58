import jakarta.servlet.http.HttpServlet;
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
        connector.setHost(System.getProperty("subject.address", "127.0.0.1"));
        connector.setPort(port);
        connector.setAcceptQueueSize(Integer.parseInt(args[5]));
        server.addConnector(connector);
        ServletContextHandler context = new ServletContextHandler("/", ServletContextHandler.NO_SESSIONS);
        serve(context, "/echo", new Servlets.Echo());
        serve(context, "/thread", new Servlets.Who());
        serve(context, "/wait", new Servlets.Query());
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
}
