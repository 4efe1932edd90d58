import java.security.Principal;
import java.util.List;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticationException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** The same shop in JSON, without sessions. */
@RestController
@RequestMapping("/api")
class Api {
    private final Store store;
    private final Users users;

    Api(Store store, Users users) {
        this.store = store;
        this.users = users;
    }

    record Login(String user, String password) {}

    record Wish(int item, int quantity) {}

    @PostMapping("/login")
    Map<String, String> login(@RequestBody Login login) {
        try {
            users.authenticate(UsernamePasswordAuthenticationToken.unauthenticated(login.user(), login.password()));
        } catch (AuthenticationException e) {
            throw new ResponseStatusException(HttpStatus.UNAUTHORIZED, e.getMessage());
        }
        return Map.of("token", users.token(login.user()));
    }

    @GetMapping("/items")
    Map<String, Object> items(@RequestParam(name = "page", defaultValue = "1") int page) {
        return Map.of("page", page, "pages", Store.PAGES, "items", Pages.page(store, page));
    }

    @GetMapping("/me")
    Map<String, String> me(Principal user) {
        return Map.of("user", user.getName());
    }

    @GetMapping("/orders")
    List<Store.Order> orders(Principal user) {
        return store.orders(user.getName());
    }

    @PostMapping("/orders")
    @ResponseStatus(HttpStatus.CREATED)
    Store.Order order(Principal user, @RequestBody Wish wish) {
        return store.order(user.getName(), new Store.Line(Pages.item(store, wish.item()), Pages.quantity(wish.quantity())));
    }
}
