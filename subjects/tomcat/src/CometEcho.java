import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.catalina.comet.CometEvent;
import org.apache.catalina.comet.CometProcessor;

/** The echo of {@link Servlets.Echo} by events: a GET is answered when it begins, a body as it comes in. */
final class CometEcho extends HttpServlet implements CometProcessor {
    private static final long serialVersionUID = 1L;
    private static final String BODY = "body";

    @Override
    public void event(CometEvent event) throws IOException {
        HttpServletRequest request = event.getHttpServletRequest();
        switch (event.getEventType()) {
            case BEGIN:
                if (Servlets.isGet(request)) {
                    answer(event, Answers.TEXT, Servlets.echo(request));
                } else if (request.getContentLength() == 0) {
                    answer(event, Answers.BYTES, new byte[0]);
                } else {
                    request.setAttribute(BODY, new Body());
                }
                break;
            case READ:
                read(event, (Body) request.getAttribute(BODY));
                break;
            case END:
                // What was already answered has no body any more; Tomcat 6 tells the end twice.
                if (request.getAttribute(BODY) != null) {
                    finish(event, (Body) request.getAttribute(BODY));
                }
                break;
            default:
                event.close();
        }
    }

    private static void read(CometEvent event, Body body) throws IOException {
        if (body == null) {
            return;
        }
        InputStream in = event.getHttpServletRequest().getInputStream();
        byte[] chunk = new byte[8192];
        do {
            int n = in.read(chunk);
            if (n < 0) {
                finish(event, body);
                return;
            }
            body.add(chunk, n);
        } while (in.available() > 0);
        if (body.length == event.getHttpServletRequest().getContentLength()) {
            finish(event, body);
        }
    }

    private static void finish(CometEvent event, Body body) throws IOException {
        event.getHttpServletRequest().removeAttribute(BODY);
        HttpServletResponse response = event.getHttpServletResponse();
        // Tomcat ends a connection whose answer an event after the first has given, and would not say so.
        response.setHeader("Connection", "close");
        if (body.length > Answers.BODY_BYTES_MAX) {
            response.setStatus(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
            answer(event, Answers.TEXT, new byte[0]);
        } else {
            answer(event, Answers.BYTES, body.kept.toByteArray());
        }
    }

    private static void answer(CometEvent event, String type, byte[] body) throws IOException {
        Servlets.answer(event.getHttpServletResponse(), type, body);
        event.close();
    }

    /** What has come of a body. One that is too long is read to its end, so that its client reads the answer. */
    private static final class Body {
        final ByteArrayOutputStream kept = new ByteArrayOutputStream();
        long length;

        void add(byte[] chunk, int n) {
            length += n;
            if (length <= Answers.BODY_BYTES_MAX) {
                kept.write(chunk, 0, n);
            }
        }
    }
}
