import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.SynchronousQueue;

/** Four workers that use as much CPU time as each line of the input says, in milliseconds; "gc" is a full collection. */
public class Workers {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static volatile long sink;

    @SuppressWarnings("unchecked")
    public static void main(String[] args) throws Exception {
        SynchronousQueue<Boolean> done = new SynchronousQueue<>();
        SynchronousQueue<Long>[] work = new SynchronousQueue[4];
        for (int i = 0; i < work.length; i++) {
            SynchronousQueue<Long> mine = work[i] = new SynchronousQueue<>();
            Thread worker = new Thread(() -> serve(mine, done), "RequestProcessor-127.0.0.1:20880-thread-" + i);
            worker.setDaemon(true);
            worker.start();
        }
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("gc")) {
                System.gc();
            } else {
                String[] each = line.split(" ");
                for (int i = 0; i < each.length; i++) work[i].put(Long.parseLong(each[i]) * 1_000_000);
                for (int i = 0; i < each.length; i++) done.take();
            }
            System.out.println("done");
        }
    }

    static void serve(SynchronousQueue<Long> mine, SynchronousQueue<Boolean> done) {
        try {
            while (true) {
                long end = mine.take() + THREADS.getCurrentThreadCpuTime();
                while (THREADS.getCurrentThreadCpuTime() < end) sink++;
                done.put(true);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
