import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.List;
import java.util.Locale;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.SessionAttribute;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.util.HtmlUtils;

/** The pages of the shop. POST /login and POST /logout are Spring Security's. */
@RestController
class Pages {
    private static final MediaType HTML = MediaType.valueOf("text/html;charset=UTF-8");
    private static final int QUANTITY_MAX = 99;

    private final Store store;

    Pages(Store store) {
        this.store = store;
    }

    @GetMapping("/login")
    ResponseEntity<String> login(HttpServletRequest request,
            @RequestParam(name = "error", required = false) String error) {
        String body = (error == null ? "" : "<p class=\"error\">Name or password is wrong.</p>")
                + form("/login", request, """
                        <label>Name <input name="username"></label>
                        <label>Password <input name="password" type="password"></label>
                        <button>Log in</button>""");
        return html(HttpStatus.OK, "Log in", "", body);
    }

    @GetMapping("/items")
    ResponseEntity<String> items(HttpServletRequest request, @RequestParam(name = "page", defaultValue = "1") int page) {
        StringBuilder body = new StringBuilder("<ul id=\"items\">\n");
        for (Store.Item item : page(store, page)) {
            body.append("<li class=\"item\" data-id=\"").append(item.id()).append("\"><a href=\"/items/").append(item.id())
                    .append("\">").append(HtmlUtils.htmlEscape(item.name())).append("</a> <span class=\"price\">")
                    .append(price(item.cents())).append("</span></li>\n");
        }
        body.append("</ul>\n");
        if (page < Store.PAGES) {
            body.append("<a rel=\"next\" href=\"/items?page=").append(page + 1).append("\">Next</a>\n");
        }
        return html(HttpStatus.OK, "Items, page " + page + " of " + Store.PAGES, account(request), body.toString());
    }

    @GetMapping("/items/{id}")
    ResponseEntity<String> item(HttpServletRequest request, @PathVariable("id") int id) {
        Store.Item item = item(store, id);
        String buy = request.getUserPrincipal() == null ? "" : form("/cart", request, """
                <input type="hidden" name="id" value="%d">
                <label>Quantity <input name="quantity" type="number" min="1" max="%d" value="1"></label>
                <button>Add to cart</button>""".formatted(id, QUANTITY_MAX));
        String body = "<p data-id=\"" + id + "\">Price <span class=\"price\">" + price(item.cents()) + "</span></p>\n" + buy;
        return html(HttpStatus.OK, item.name(), account(request), body);
    }

    @PostMapping("/cart")
    ResponseEntity<Void> add(@SessionAttribute(Store.CART) long cart, @RequestParam("id") int id,
            @RequestParam("quantity") int quantity) {
        store.add(cart, item(store, id).id(), quantity(quantity));
        return ResponseEntity.status(HttpStatus.FOUND).header(HttpHeaders.LOCATION, "/cart").build();
    }

    @GetMapping("/cart")
    ResponseEntity<String> cart(HttpServletRequest request, @SessionAttribute(Store.CART) long cart) {
        List<Store.Line> lines = store.lines(cart);
        StringBuilder body = new StringBuilder("<table id=\"cart\">\n");
        for (Store.Line line : lines) {
            body.append("<tr data-id=\"").append(line.item().id()).append("\"><td>")
                    .append(HtmlUtils.htmlEscape(line.item().name())).append("</td><td class=\"quantity\">")
                    .append(line.quantity()).append("</td><td class=\"price\">").append(price(line.cents()))
                    .append("</td></tr>\n");
        }
        body.append("</table>\n<p id=\"total\">").append(price(lines.stream().mapToLong(Store.Line::cents).sum()))
                .append("</p>\n").append(form("/checkout", request, "<button>Buy</button>"));
        return html(HttpStatus.OK, "Cart", account(request), body.toString());
    }

    /** 409 where the cart is empty. */
    @PostMapping("/checkout")
    ResponseEntity<?> checkout(HttpServletRequest request, @SessionAttribute(Store.CART) long cart, Principal customer,
            @RequestHeader(name = "Accept", defaultValue = "") String accept) {
        Store.Order order = store.checkout(cart, customer.getName());
        if (order == null) {
            throw new ResponseStatusException(HttpStatus.CONFLICT, "the cart is empty");
        }
        if (accept.contains(MediaType.APPLICATION_JSON_VALUE)) {
            return ResponseEntity.ok().contentType(MediaType.APPLICATION_JSON).body(order);
        }
        String body = "<p>Order <strong id=\"order\" data-order=\"%1$d\">%1$d</strong>: %2$s</p>\n"
                .formatted(order.order(), price(order.cents()));
        return html(HttpStatus.OK, "Thank you", account(request), body);
    }

    static List<Store.Item> page(Store store, int page) {
        if (page < 1 || page > Store.PAGES) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "pages are 1 to " + Store.PAGES);
        }
        return store.items(page);
    }

    static Store.Item item(Store store, int id) {
        Store.Item item = store.item(id);
        if (item == null) {
            throw new ResponseStatusException(HttpStatus.NOT_FOUND, "items are 1 to " + Store.ITEMS);
        }
        return item;
    }

    static int quantity(int quantity) {
        if (quantity < 1 || quantity > QUANTITY_MAX) {
            throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "a quantity is 1 to " + QUANTITY_MAX);
        }
        return quantity;
    }

    /** The user's name and the way out; for visitors the way in, without a token, which would open a session for each. */
    private static String account(HttpServletRequest request) {
        Principal user = request.getUserPrincipal();
        return user == null
                ? "<a href=\"/login\">Log in</a>\n"
                : form("/logout", request, "<span id=\"user\">" + user.getName() + "</span> <button>Log out</button>");
    }

    private static String form(String action, HttpServletRequest request, String fields) {
        String token = ((CsrfToken) request.getAttribute(CsrfToken.class.getName())).getToken();
        return "<form action=\"" + action + "\" method=\"post\">\n<input type=\"hidden\" name=\"_csrf\" value=\"" + token
                + "\">\n" + fields + "\n</form>\n";
    }

    private static String price(long cents) {
        return String.format(Locale.ROOT, "%d.%02d", cents / 100, cents % 100);
    }

    private static ResponseEntity<String> html(HttpStatus status, String title, String account, String body) {
        String heading = HtmlUtils.htmlEscape(title);
        return ResponseEntity.status(status).contentType(HTML).body("<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>" + heading
                + "</title></head>\n<body>\n" + account + "<h1>" + heading + "</h1>\n" + body + "</body>\n</html>\n");
    }
}
