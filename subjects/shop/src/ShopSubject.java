import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;

/**
 * A small web shop: login, items, cart, checkout, logout, with sessions and forms against forgery as Spring Security has them.
 *
 * <p>Arguments: properties as {@code --server.port=8080}. System properties: spin.ns, shop.spin.page, shop.bcrypt; with
 * PostgreSQL shop.postgresql, its archive, and shop.postgresql.settings, with spaces between them.
 */
// Without a scan for components: it would read every archive, for these classes stand in no package.
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({Counts.class, Security.class, Users.class, Store.class, Pages.class, Api.class})
public class ShopSubject {
    public static void main(String[] args) throws IOException, InterruptedException {
        String archive = System.getProperty("shop.postgresql");
        if (archive != null) {
            Path temp = Path.of(System.getProperty("java.io.tmpdir"));
            List<String> settings = List.of(System.getProperty("shop.postgresql.settings").split(" "));
            // They run when the application has closed its connections.
            SpringApplication.getShutdownHandlers().add(Postgres.start(Path.of(archive), temp, settings)::stop);
        }
        SpringApplication.run(ShopSubject.class, args);
        System.out.println("Shop on Spring Boot " + SpringBootVersion.getVersion() + "; " + Answers.machine());
    }
}
