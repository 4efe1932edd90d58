import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Pattern;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Counts answers, and works longer on those of one page. It stands before everything else, so that what Spring Security answers
 * is counted, too.
 *
 * <p>GET /counts: {@code {"POST /login": {"302 /items": 5, "403": 1}}}, by page and by status, with the address where it is a
 * redirect. It waits until nothing else is in work, a second at most, and is not counted itself.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class Counts extends OncePerRequestFilter {
    private static final String SPIN_PAGE = System.getProperty("shop.spin.page", "");
    private static final long WAIT_MS_MAX = 1000;
    private static final Pattern ITEM = Pattern.compile("/items/[0-9]+");
    private static final Set<String> PATHS = Set.of(
            "/login", "/logout", "/items", "/cart", "/checkout", "/api/login", "/api/items", "/api/me", "/api/orders");

    private final Map<String, Map<String, LongAdder>> counts = new ConcurrentSkipListMap<>();
    private final AtomicInteger inWork = new AtomicInteger();
    private final ObjectMapper mapper = new ObjectMapper();

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request.getRequestURI().equals("/counts")) {
            answer(response);
            return;
        }
        String page = request.getMethod() + " " + path(request.getRequestURI());
        String outcome = "500";
        inWork.incrementAndGet();
        try {
            if (page.equals(SPIN_PAGE)) {
                Answers.spin();
            }
            chain.doFilter(request, response);
            outcome = outcome(response);
        } finally {
            counts.computeIfAbsent(page, any -> new ConcurrentSkipListMap<>())
                    .computeIfAbsent(outcome, any -> new LongAdder())
                    .increment();
            inWork.decrementAndGet();
        }
    }

    private void answer(HttpServletResponse response) throws IOException {
        // An answer may reach its client a moment before it is counted.
        for (int ms = 0; ms < WAIT_MS_MAX && inWork.get() > 0; ms++) {
            try {
                Thread.sleep(1);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        response.setContentType("application/json");
        response.getOutputStream().write(mapper.writeValueAsBytes(counts));
    }

    private static String path(String path) {
        if (ITEM.matcher(path).matches()) {
            return "/items/*";
        }
        return PATHS.contains(path) ? path : "other";
    }

    private static String outcome(HttpServletResponse response) {
        String location = response.getHeader("Location");
        String status = String.valueOf(response.getStatus());
        return location == null ? status : status + " " + location;
    }
}
