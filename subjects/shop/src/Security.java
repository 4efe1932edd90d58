import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.authentication.AnonymousAuthenticationFilter;
import org.springframework.security.web.authentication.HttpStatusEntryPoint;
import org.springframework.security.web.authentication.LoginUrlAuthenticationEntryPoint;

/** Who may ask for what: tokens below /api, sessions elsewhere. */
@Configuration(proxyBeanMethods = false)
class Security {
    private static final String BEARER = "Bearer ";

    @Bean
    @Order(1)
    SecurityFilterChain api(HttpSecurity http, Users users) throws Exception {
        return http.securityMatcher("/api/**")
                .csrf(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .sessionManagement(it -> it.sessionCreationPolicy(SessionCreationPolicy.STATELESS))
                .authorizeHttpRequests(it ->
                        it.requestMatchers("/api/login", "/api/items").permitAll().anyRequest().authenticated())
                .exceptionHandling(it ->
                        it.authenticationEntryPoint(new HttpStatusEntryPoint(HttpStatus.UNAUTHORIZED)))
                .addFilterBefore(bearer(users), AnonymousAuthenticationFilter.class)
                .build();
    }

    @Bean
    @Order(2)
    SecurityFilterChain pages(HttpSecurity http, Users users, Store store) throws Exception {
        LoginUrlAuthenticationEntryPoint login = new LoginUrlAuthenticationEntryPoint("/login");
        login.setFavorRelativeUris(true);
        return http.authenticationProvider(users)
                .exceptionHandling(it -> it.authenticationEntryPoint(login))
                // It would open a session for each visitor who asks for a page that needs a login.
                .requestCache(AbstractHttpConfigurer::disable)
                .authorizeHttpRequests(it -> it.requestMatchers("/login", "/items", "/items/*", "/error").permitAll()
                        .anyRequest().authenticated())
                .formLogin(it -> it.loginPage("/login").successHandler((request, response, user) -> {
                    // Here, for requests of one session that come at once would each open a cart.
                    request.getSession().setAttribute(Store.CART, store.newCart());
                    response.sendRedirect("/items");
                }))
                .build();
    }

    private static Filter bearer(Users users) {
        return (request, response, chain) -> {
            String given = ((HttpServletRequest) request).getHeader(HttpHeaders.AUTHORIZATION);
            if (given != null && given.startsWith(BEARER)) {
                Authentication user = users.byToken(given.substring(BEARER.length()));
                SecurityContextHolder.setContext(new SecurityContextImpl(user));
            }
            chain.doFilter(request, response);
        };
    }
}
