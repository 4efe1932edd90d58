import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Collections;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** The service in JSON: a path for each method, and JSON-RPC. */
final class JsonServlets {
    private static final String TYPE = "application/json";

    private JsonServlets() {}

    /** What was sent; null when that is too long, which is answered then. */
    private static byte[] body(HttpServletRequest request, HttpServletResponse response) throws IOException {
        byte[] body = Answers.body(request.getInputStream());
        if (body == null) {
            response.sendError(HttpServletResponse.SC_REQUEST_ENTITY_TOO_LARGE);
        }
        return body;
    }

    /** POST: the method with the argument that is the body. GET: what {@link Servlets.Echo} answers. */
    static final class Rest extends HttpServlet {
        private static final long serialVersionUID = 1L;
        private final transient Methods methods;
        private final String method;

        Rest(Methods methods, String method) {
            this.methods = methods;
            this.method = method;
        }

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            if (method.equals("echo")) {
                Servlets.answer(response, Answers.TEXT, Servlets.echo(request));
            } else {
                response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED);
            }
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] body = body(request, response);
            if (body == null) {
                return;
            }
            Object result;
            try {
                result = methods.call(method, body);
            } catch (JsonProcessingException why) {
                response.setStatus(HttpServletResponse.SC_BAD_REQUEST);
                result = Collections.singletonMap("error", why.getOriginalMessage());
            }
            Servlets.answer(response, TYPE, methods.json.writeValueAsBytes(result));
        }
    }

    /** JSON-RPC 2.0 (jsonrpc.org/specification): a call, or several in a list; one without an id is not answered. */
    static final class Rpc extends HttpServlet {
        private static final long serialVersionUID = 1L;
        private final transient Methods methods;

        Rpc(Methods methods) {
            this.methods = methods;
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            byte[] body = body(request, response);
            if (body == null) {
                return;
            }
            JsonNode answer = answer(body);
            if (answer == null) {
                response.setStatus(HttpServletResponse.SC_NO_CONTENT);
            } else {
                Servlets.answer(response, TYPE, methods.json.writeValueAsBytes(answer));
            }
        }

        private JsonNode answer(byte[] body) throws IOException {
            JsonNode sent;
            try {
                sent = methods.json.readTree(body);
            } catch (JsonProcessingException why) {
                return refusal(null, -32700, why.getOriginalMessage());
            }
            if (!sent.isArray()) {
                return called(sent);
            }
            ArrayNode answers = JsonNodeFactory.instance.arrayNode();
            for (JsonNode call : sent) {
                JsonNode answer = called(call);
                if (answer != null) {
                    answers.add(answer);
                }
            }
            if (sent.isEmpty()) {
                return refusal(null, -32600, "no call in the list");
            }
            return answers.isEmpty() ? null : answers;
        }

        /** What a call is answered; null for one that asks for no answer. */
        private JsonNode called(JsonNode call) throws IOException {
            JsonNode id = call.get("id");
            if (!call.path("jsonrpc").asText().equals("2.0") || !call.path("method").isTextual()) {
                return refusal(id, -32600, "no call of JSON-RPC 2.0");
            }
            JsonNode answer = result(id, call.get("method").asText(), call.path("params"));
            return id == null ? null : answer;
        }

        private ObjectNode result(JsonNode id, String method, JsonNode params) throws IOException {
            if (!methods.names().contains(method)) {
                return refusal(id, -32601, "no method " + method);
            }
            // By position, or by a name that does not matter where there is one alone.
            if (params.size() != 1) {
                return refusal(id, -32602, "one parameter is wanted");
            }
            ObjectNode answer = begun(id);
            try {
                answer.putPOJO("result", methods.call(method, params.iterator().next()));
            } catch (JsonProcessingException why) {
                return refusal(id, -32602, why.getOriginalMessage());
            }
            return answer;
        }

        private static ObjectNode refusal(JsonNode id, int code, String message) {
            ObjectNode answer = begun(id);
            answer.putObject("error").put("code", code).put("message", message);
            return answer;
        }

        private static ObjectNode begun(JsonNode id) {
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            answer.put("jsonrpc", "2.0");
            answer.set("id", id);
            return answer;
        }
    }
}
