import java.util.ArrayList;
import java.util.List;

/** Works until the heap was collected some times, says so, and waits for the end of its input. */
public class Churn {
    static volatile Object sink;

    public static void main(String[] args) throws Exception {
        List<byte[]> kept = new ArrayList<>();
        long sum = 0;
        for (int i = 0; i < 200_000; i++) {
            byte[] bytes = new byte[2048];
            bytes[i % 2048] = (byte) i;
            for (byte b : bytes) sum += b;
            sink = bytes;
            if (i % 2000 == 0) kept.add(bytes);
        }
        System.gc();
        System.out.println("done " + sum + " " + kept.size());
        System.in.read();
    }
}
