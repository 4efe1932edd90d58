import io.undertow.Undertow;
import io.undertow.UndertowOptions;
import io.undertow.Version;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import io.undertow.util.StatusCodes;
import java.nio.ByteBuffer;
import java.util.Deque;
import org.xnio.Options;

/**
 * One Undertow with a listener and no servlets.
 *
 * <p>Arguments: port, worker or io, IO threads, worker threads, length of the accept queue.
 */
public final class UndertowSubject {
    private UndertowSubject() {}

    public static void main(String[] args) {
        int port = Integer.parseInt(args[0]);
        HttpHandler blocking = new BlockingHandler(UndertowSubject::serve);
        boolean dispatches = args[1].equals("worker");
        HttpHandler handler = exchange -> {
            // A body and a wait block, which no IO thread may.
            if (dispatches || exchange.getRequestMethod().equals(Methods.POST)
                    || exchange.getRequestPath().equals("/wait")) {
                blocking.handleRequest(exchange);
            } else {
                serve(exchange);
            }
        };
        Undertow server = Undertow.builder()
                .setIoThreads(Integer.parseInt(args[2]))
                .setWorkerThreads(Integer.parseInt(args[3]))
                .setSocketOption(Options.BACKLOG, Integer.parseInt(args[4]))
                .setServerOption(UndertowOptions.SHUTDOWN_TIMEOUT, 1000)
                .addHttpListener(port, System.getProperty("subject.address", "127.0.0.1"), handler)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(server::stop));
        server.start();
        System.out.println(
                "Undertow " + Version.getVersionString() + " on port " + port + "; " + Answers.machine());
    }

    private static void serve(HttpServerExchange exchange) throws Exception {
        boolean posted = exchange.getRequestMethod().equals(Methods.POST);
        switch (exchange.getRequestPath()) {
            case "/echo":
                if (posted) {
                    byte[] body = Answers.body(exchange.getInputStream());
                    if (body == null) {
                        exchange.setStatusCode(StatusCodes.REQUEST_ENTITY_TOO_LARGE);
                    } else {
                        answer(exchange, Answers.BYTES, body);
                    }
                } else {
                    Deque<String> texts = exchange.getQueryParameters().get("t");
                    answer(exchange, Answers.TEXT, Answers.echo(texts == null ? null : texts.getFirst()));
                }
                break;
            case "/thread":
                answer(exchange, Answers.TEXT, Answers.thread());
                break;
            case "/wait":
                answer(exchange, Answers.TEXT, Answers.query());
                break;
            default:
                exchange.setStatusCode(StatusCodes.NOT_FOUND);
        }
    }

    private static void answer(HttpServerExchange exchange, String type, byte[] body) {
        Answers.spin();
        exchange.getResponseHeaders().put(Headers.CONTENT_TYPE, type);
        exchange.getResponseHeaders().put(Headers.CONTENT_LENGTH, body.length);
        exchange.getResponseSender().send(ByteBuffer.wrap(body));
    }
}
