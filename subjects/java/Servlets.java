import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.servlet.Servlet;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** What every server with servlets answers, by nothing newer than Servlet 2.5. */
final class Servlets {
    private Servlets() {}

    /** The servlets of all paths but those of values, queries and waits, by path. */
    static Map<String, Servlet> plain() throws ReflectiveOperationException {
        Map<String, Servlet> servlets = new LinkedHashMap<>();
        // Comet is not in every Tomcat, so its class is not either.
        String echo = System.getProperty("subject.echo", "Servlets$Echo");
        servlets.put("/echo", (Servlet) Class.forName(echo).getDeclaredConstructor().newInstance());
        servlets.put("/thread", new Who());
        servlets.put("/front", new Front());
        servlets.put("/lines", new Lines());
        servlets.put("/test", new Page());
        return servlets;
    }

    static void answer(HttpServletResponse response, String type, byte[] body) throws IOException {
        Answers.spin();
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** Whether a request is answered without a look at its body. */
    static boolean isGet(HttpServletRequest request) {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }

    /** Answers a body with itself. */
    static void sendBack(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = Answers.body(request.getInputStream());
        if (body == null) {
            response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
        } else {
            answer(response, Answers.BYTES, body);
        }
    }

    /** What a GET asks to be answered. */
    static byte[] echo(HttpServletRequest request) {
        // Asked first, since looking for a parameter costs more than the answer.
        return Answers.echo(request.getQueryString() == null ? null : request.getParameter("t"));
    }

    /** GET answers 1,024 bytes, or the parameter t where there is one; any other method answers its body. */
    static final class Echo extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (isGet(request)) {
                answer(response, Answers.TEXT, echo(request));
            } else {
                sendBack(request, response);
            }
        }
    }

    /** Answers the name of the thread that serves it; that of a virtual one holds {@code virt}. */
    static final class Who extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, Answers.TEXT, Answers.thread());
        }
    }

    /**
     * What whoever is in front of the server said of the request: its scheme, the user, and the attribute that the
     * parameter of that name names, with spaces between.
     */
    static final class Front extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String attribute = request.getParameter("attribute");
            Object value = attribute == null ? null : request.getAttribute(attribute);
            String said = request.getScheme() + " " + request.getRemoteUser() + " " + value;
            answer(response, Answers.TEXT, said.getBytes("UTF-8"));
        }
    }

    /** A text of 10,000 lines, made for each request. */
    static final class Lines extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, Answers.TEXT, Answers.lines());
        }
    }

    /** A page of 347 bytes. */
    static final class Page extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            answer(response, "text/html;charset=UTF-8", Answers.page());
        }
    }

    /** The value of a key: fast. */
    static final class Value extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String key = request.getParameter("key");
            if (key == null) {
                response.sendError(HttpServletResponse.SC_BAD_REQUEST, "which key?");
            } else {
                answer(response, Answers.TEXT, Answers.value(key));
            }
        }
    }

    /** 1,024 bytes after a query: slow, and nobody knows how slow. */
    static final class Query extends HttpServlet {
        private static final long serialVersionUID = 1L;

        @Override
        protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                answer(response, Answers.TEXT, Answers.query());
            } catch (InterruptedException e) {
                // Only the end of the server interrupts.
                response.sendError(HttpServletResponse.SC_SERVICE_UNAVAILABLE);
            }
        }
    }
}
