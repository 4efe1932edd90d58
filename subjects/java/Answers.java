import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.StringJoiner;
import java.util.concurrent.ThreadLocalRandom;

/**
 * What every Java subject answers, whichever server asks. No server's classes are used here, so that two servers differ in
 * nothing but themselves.
 */
public final class Answers {
    /** Longest body that is answered; more is 413. */
    public static final int BODY_BYTES_MAX = 1 << 20;
    /** Type of every text. */
    public static final String TEXT = "text/plain;charset=UTF-8";
    /** Type of a body that is sent back. */
    public static final String BYTES = "application/octet-stream";

    private static final int LINES = 10_000;
    private static final byte[] PLAIN = filled(1024);
    private static final byte[] PAGE = filled(347);
    private static final double QUERY_MEAN_MS = Double.parseDouble(System.getProperty("query.mean.ms", "200"));
    private static final long QUERY_MS_MAX = 60_000;
    private static final long SPIN_NS = Long.getLong("spin.ns", 0);
    private static final ThreadMXBean CLOCK = ManagementFactory.getThreadMXBean();

    private Answers() {}

    /** GET /echo: the parameter t, or 1,024 bytes when there is none (null). */
    public static byte[] echo(String text) {
        return text == null ? PLAIN : text.getBytes(StandardCharsets.UTF_8);
    }

    /** POST /echo: the body; null when it is longer than the limit. */
    public static byte[] body(InputStream in) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] chunk = new byte[8192];
        for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
            if (out.size() + n > BODY_BYTES_MAX) {
                return null;
            }
            out.write(chunk, 0, n);
        }
        return out.toByteArray();
    }

    /** GET /test: a page of 347 bytes. */
    public static byte[] page() {
        return PAGE;
    }

    /** GET /lines: a text of 10,000 lines that is put together anew for each request. */
    public static byte[] lines() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < LINES; i++) {
            text.append(i).append(" test\n");
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** GET /value?key=...: what a store in memory has under the key; fast. */
    public static byte[] value(String key) {
        return ("value of " + key).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * GET /query, GET /wait: waits as a query to a database does that nobody can foresee, exponentially distributed with the
     * mean of the system property query.mean.ms, a minute at most.
     */
    public static byte[] query() throws InterruptedException {
        double uniform = 1 - ThreadLocalRandom.current().nextDouble();
        Thread.sleep(Math.min(Math.round(-Math.log(uniform) * QUERY_MEAN_MS), QUERY_MS_MAX));
        return PLAIN;
    }

    /** GET /thread: the name of the thread that serves; that of a virtual one holds {@code virt}. */
    public static byte[] thread() {
        Thread thread = Thread.currentThread();
        // Servers name theirs as they like, or not at all; Thread.isVirtual() came with Java 21.
        boolean virtual = thread.toString().startsWith("VirtualThread") && !thread.getName().contains("virt");
        return (thread.getName() + (virtual ? "-virtual" : "")).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Works on an answer for the CPU time of the system property spin.ns. By the thread's own clock: while another thread has
     * the CPU, this one has done nothing, though time passes.
     */
    public static void spin() {
        if (SPIN_NS > 0) {
            long end = CLOCK.getCurrentThreadCpuTime() + SPIN_NS;
            while (CLOCK.getCurrentThreadCpuTime() < end) {
                Thread.onSpinWait();
            }
        }
    }

    /** What a JVM has found of the machine, in a line of the log. */
    public static String machine() {
        StringJoiner collectors = new StringJoiner(", ");
        for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
            collectors.add(bean.getName());
        }
        return "Java " + System.getProperty("java.version")
                + ", processors " + Runtime.getRuntime().availableProcessors()
                + ", collectors " + collectors;
    }

    private static byte[] filled(int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) 'x');
        return bytes;
    }
}
