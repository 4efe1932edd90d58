import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.springframework.security.authentication.AuthenticationProvider;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;

/** The customers user0 to user9999. The password of each is its name; no table holds them. */
class Users implements AuthenticationProvider {
    private static final Pattern NAME = Pattern.compile("user(0|[1-9][0-9]{0,3})");
    private static final int BCRYPT_COST = Integer.getInteger("shop.bcrypt", 0);
    /** Key of the tokens; a known one, for this is a shop without goods. */
    private static final SecretKeySpec KEY = new SecretKeySpec("shop".getBytes(StandardCharsets.UTF_8), "HmacSHA256");

    private final BCryptPasswordEncoder encoder = BCRYPT_COST == 0 ? null : new BCryptPasswordEncoder(BCRYPT_COST);

    @Override
    public Authentication authenticate(Authentication asked) {
        String password = String.valueOf(asked.getCredentials());
        if (encoder != null) {
            // One hash, as a comparison with a stored one costs; its outcome decides nothing.
            encoder.encode(password);
        }
        if (!NAME.matcher(asked.getName()).matches() || !password.equals(asked.getName())) {
            throw new BadCredentialsException("name or password is wrong");
        }
        return known(asked.getName());
    }

    @Override
    public boolean supports(Class<?> kind) {
        return kind == UsernamePasswordAuthenticationToken.class;
    }

    /** A token that names its user and needs no memory: {@code user7.HMAC}. */
    String token(String name) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(KEY);
            return name + "." + HexFormat.of().formatHex(mac.doFinal(name.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The user of a token; null where the token is none of ours. */
    Authentication byToken(String token) {
        String name = token.substring(0, Math.max(token.indexOf('.'), 0));
        byte[] expected = token(name).getBytes(StandardCharsets.UTF_8);
        return MessageDigest.isEqual(expected, token.getBytes(StandardCharsets.UTF_8)) ? known(name) : null;
    }

    private static Authentication known(String name) {
        return UsernamePasswordAuthenticationToken.authenticated(
                name, null, List.of(new SimpleGrantedAuthority("ROLE_CUSTOMER")));
    }
}
