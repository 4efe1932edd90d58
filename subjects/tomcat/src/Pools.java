import java.io.IOException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.servlet.AsyncContext;
import javax.servlet.Servlet;
import javax.servlet.ServletException;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/**
 * Thread pools of the application: one for both kinds of work, or one for each with the same number of threads in
 * all. Tomcat's own threads hand the work over and are free again, so that they are never what is waited for.
 */
final class Pools {
    private final ExecutorService values;
    private final ExecutorService queries;

    /** How many pools there are: "one", "two", or null, when Tomcat's own threads do the work. */
    Pools(String number, int threads) {
        if (number == null) {
            values = null;
            queries = null;
        } else if (number.equals("one")) {
            values = pool("pool", threads);
            queries = values;
        } else {
            values = pool("values", threads / 2);
            queries = pool("queries", threads - threads / 2);
        }
    }

    Servlet values() {
        return on(values, new Servlets.Value());
    }

    Servlet queries() {
        return on(queries, new Servlets.Query());
    }

    private static Servlet on(ExecutorService pool, HttpServlet servlet) {
        return pool == null ? servlet : new Handed(servlet, pool);
    }

    private static ExecutorService pool(String name, int threads) {
        AtomicInteger made = new AtomicInteger();
        return Executors.newFixedThreadPool(threads, work -> {
            Thread thread = new Thread(work, name + "-" + made.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
    }

    /** Hands each request to a pool. */
    private static final class Handed extends HttpServlet {
        private static final long serialVersionUID = 1L;
        private final transient HttpServlet servlet;
        private final transient ExecutorService pool;

        Handed(HttpServlet servlet, ExecutorService pool) {
            this.servlet = servlet;
            this.pool = pool;
        }

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) {
            AsyncContext context = request.startAsync();
            // Tomcat would give up after 30 s; how long a call waits for a thread is what is to be seen.
            context.setTimeout(0);
            pool.execute(() -> {
                try {
                    servlet.service(context.getRequest(), context.getResponse());
                } catch (IOException | ServletException gone) {
                    // The client no longer waits: there is nobody to tell.
                } finally {
                    context.complete();
                }
            });
        }
    }
}
