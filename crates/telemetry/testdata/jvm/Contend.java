import java.io.BufferedReader;
import java.io.InputStreamReader;

/** For each line of the input, eight threads sleep a hundred times holding a monitor: all the same for "one", each its own for "own". */
public class Contend {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Object shared = new Object();
            Thread[] threads = new Thread[8];
            for (int i = 0; i < threads.length; i++) {
                Object monitor = line.equals("one") ? shared : new Object();
                threads[i] = new Thread(() -> work(monitor));
                threads[i].start();
            }
            for (Thread thread : threads) thread.join();
            System.out.println("done");
        }
    }

    static void work(Object monitor) {
        try {
            for (int i = 0; i < 100; i++) {
                synchronized (monitor) {
                    Thread.sleep(1);
                }
            }
            // Long enough for those who look every 100 ms.
            Thread.sleep(500);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
