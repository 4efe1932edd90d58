import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * One Spring Boot application with a controller, on Boot's own Tomcat.
 *
 * <p>Arguments: properties as {@code --server.port=8080}.
 */
// Without a scan for components: it would read every archive, for this class stands in no package.
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(SpringBootSubject.Controller.class)
public class SpringBootSubject {
    public static void main(String[] args) {
        SpringApplication.run(SpringBootSubject.class, args);
        System.out.println("Spring Boot " + SpringBootVersion.getVersion() + "; " + Answers.machine());
    }

    /** The answers. */
    @RestController
    public static class Controller {
        private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

        @GetMapping("/echo")
        public ResponseEntity<byte[]> echo(@RequestParam(name = "t", required = false) String text) {
            return text(Answers.echo(text));
        }

        @PostMapping("/echo")
        public ResponseEntity<byte[]> echo(InputStream in) throws IOException {
            byte[] body = Answers.body(in);
            if (body == null) {
                return ResponseEntity.status(413).build();
            }
            Answers.spin();
            return ResponseEntity.ok().contentType(MediaType.APPLICATION_OCTET_STREAM).body(body);
        }

        @GetMapping("/thread")
        public ResponseEntity<byte[]> thread() {
            return text(Answers.thread());
        }

        @GetMapping("/wait")
        public ResponseEntity<byte[]> query() throws InterruptedException {
            return text(Answers.query());
        }

        private static ResponseEntity<byte[]> text(byte[] body) {
            Answers.spin();
            return ResponseEntity.ok().contentType(TEXT).body(body);
        }
    }
}
