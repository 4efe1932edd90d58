import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts how often threads found a monitor locked, in JVMs that do not, and starts the server: arguments are its class
 * and its own arguments. The sum is the counter proofload.contendedLocks of the JVM's performance data, so it is read
 * from outside like HotSpot's own. Needs --add-exports=java.base/jdk.internal.perf=ALL-UNNAMED.
 */
public final class LockCounter {
    private static final String COUNTER = "proofload.contendedLocks";
    private static final long PERIOD_MS = 100;
    /** As jdk.internal.perf.Perf numbers them. */
    private static final int MONOTONIC = 2;
    private static final int EVENTS = 4;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final LongBuffer published;
    /** What each thread that was alive at the last look had counted. */
    private Map<Long, Long> known = new HashMap<>();
    private long sum;

    private LockCounter(LongBuffer published) {
        this.published = published;
    }

    public static void main(String[] args) throws Throwable {
        LockCounter counter = new LockCounter(counter());
        Thread watcher = new Thread(counter::run, "LockCounter");
        watcher.setDaemon(true);
        watcher.start();
        Method main = Class.forName(args[0]).getMethod("main", String[].class);
        try {
            main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A long of the performance data. By reflection, because compilers do not see its package. */
    private static LongBuffer counter() throws ReflectiveOperationException {
        Class<?> perf = Class.forName("jdk.internal.perf.Perf");
        Method create = perf.getMethod("createLong", String.class, int.class, int.class, long.class);
        ByteBuffer bytes =
            (ByteBuffer) create.invoke(perf.getMethod("getPerf").invoke(null), COUNTER, MONOTONIC, EVENTS, 0L);
        return bytes.order(ByteOrder.nativeOrder()).asLongBuffer();
    }

    private void run() {
        try {
            while (true) {
                look();
                Thread.sleep(PERIOD_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look() {
        Map<Long, Long> now = new HashMap<>();
        for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
            // One that ended in between is null.
            if (thread != null) {
                long before = known.getOrDefault(thread.getThreadId(), 0L);
                now.put(thread.getThreadId(), thread.getBlockedCount());
                sum += Math.max(0, thread.getBlockedCount() - before);
            }
        }
        known = now;
        published.put(0, sum);
    }
}
