import com.caucho.hessian.client.HessianProxyFactory;
import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.rmi.registry.LocateRegistry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;
import lab.EchoService;
import lab.RemoteEchoService;
import org.apache.dubbo.config.ApplicationConfig;
import org.apache.dubbo.config.ReferenceConfig;
import org.apache.dubbo.config.RegistryConfig;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.protocol.http.sampler.AjpSampler;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;

/**
 * A client that stays warm between rounds: it has a text of 1 KiB echoed by ten threads, each of which calls again
 * when it is answered, and says what a round cost.
 *
 * <p>Arguments: {@code dubbo}, {@code rmi}, {@code hessian} or {@code ajp}; the port of the server; for Dubbo the
 * number of connections, for AJP JMeter's home. Each line {@code calls N} on standard input is a round, answered by
 * {@code answered COUNT wall_ns TIME cpu_ns TIME errors COUNT}.
 */
public final class Consumer {
    private static final int THREADS = 10;
    private static final String TEXT = "x".repeat(1024);
    private static final String HOST = "127.0.0.1";

    /** 127.0.0.1 as one number: whatever begins with 127 Dubbo takes for the machine's own address, where nobody listens. */
    private static final String LOOPBACK = "2130706433";

    private Consumer() {}

    /** Many calls. */
    private interface Round {
        /** How many of so many calls were answered with the text that they carried. */
        long answered(long calls) throws Exception;
    }

    /** One call. */
    private interface Echo {
        String echo(String text) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        // Libraries write their logs there.
        System.setOut(System.err);
        Round round = round(args);
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        out.println("ready");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long calls = calls(line);
            long cpu = system.getProcessCpuTime();
            long begun = System.nanoTime();
            long answered = round.answered(calls);
            long wall = System.nanoTime() - begun;
            cpu = system.getProcessCpuTime() - cpu;
            out.println("answered " + answered + " wall_ns " + wall + " cpu_ns " + cpu + " errors " + (calls - answered));
        }
        // Threads of the libraries would keep it alive.
        System.exit(0);
    }

    private static long calls(String line) throws IOException {
        String[] words = line.split(" ");
        if (words.length != 2 || !words[0].equals("calls")) {
            throw new IOException("expected \"calls N\", not \"" + line + "\"");
        }
        long calls = Long.parseLong(words[1]);
        if (calls <= 0 || calls % THREADS != 0) {
            throw new IOException("expected a multiple of " + THREADS + " calls, not " + calls);
        }
        return calls;
    }

    private static Round round(String[] args) throws Exception {
        int port = Integer.parseInt(args[1]);
        switch (args[0]) {
            case "dubbo":
                return threads(dubbo(port, Integer.parseInt(args[2]))::echo);
            case "rmi":
                RemoteEchoService remote = (RemoteEchoService) LocateRegistry.getRegistry(HOST, port).lookup("echo");
                return threads(remote::echo);
            case "hessian":
                HessianProxyFactory factory = new HessianProxyFactory();
                factory.setHessian2Request(true);
                factory.setHessian2Reply(true);
                String url = "http://" + HOST + ":" + port + "/hessian";
                return threads(((EchoService) factory.create(EchoService.class, url))::echo);
            case "ajp":
                return jmeter(port, args[2]);
            default:
                throw new IllegalArgumentException("no such client: " + args[0]);
        }
    }

    private static EchoService dubbo(int port, int connections) {
        ApplicationConfig application = new ApplicationConfig("consumer");
        // A port of its own for orders from outside.
        application.setQosEnable(false);
        ReferenceConfig<EchoService> reference = new ReferenceConfig<>();
        reference.setApplication(application);
        reference.setRegistry(new RegistryConfig("N/A"));
        reference.setInterface(EchoService.class);
        reference.setUrl("dubbo://" + LOOPBACK + ":" + port + "/lab.EchoService");
        reference.setConnections(connections);
        reference.setTimeout(30_000);
        reference.setRetries(0);
        return reference.get();
    }

    /** Threads that live as long as this program and share the calls of a round evenly. */
    private static Round threads(Echo echo) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        return calls -> {
            Callable<Long> share = () -> {
                long answered = 0;
                for (long call = 0; call < calls / THREADS; call++) {
                    answered += answered(echo);
                }
                return answered;
            };
            List<Callable<Long>> shares = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                shares.add(share);
            }
            long answered = 0;
            for (Future<Long> done : threads.invokeAll(shares)) {
                answered += done.get();
            }
            return answered;
        };
    }

    private static int answered(Echo echo) {
        try {
            return TEXT.equals(echo.echo(TEXT)) ? 1 : 0;
        } catch (Exception why) {
            why.printStackTrace();
            return 0;
        }
    }

    /** JMeter with its engine, a thread group and its sampler for AJP; a plan for each round. */
    private static Round jmeter(int port, String home) {
        JMeterUtils.setJMeterHome(home);
        JMeterUtils.loadJMeterProperties(home + "/bin/jmeter.properties");
        JMeterUtils.initLocale();
        return calls -> {
            LoopController loop = new LoopController();
            loop.setLoops(Math.toIntExact(calls / THREADS));
            ThreadGroup users = new ThreadGroup();
            users.setNumThreads(THREADS);
            users.setRampUp(0);
            users.setSamplerController(loop);
            Checked checked = new Checked();
            ListedHashTree tree = new ListedHashTree();
            HashTree plan = tree.add(new TestPlan("echo"));
            plan.add(users).add(sampler(port));
            plan.add(checked);
            StandardJMeterEngine engine = new StandardJMeterEngine();
            engine.configure(tree);
            engine.run();
            return checked.answered.sum();
        };
    }

    private static AjpSampler sampler(int port) {
        AjpSampler sampler = new AjpSampler();
        sampler.setName("echo");
        sampler.setProtocol("http");
        sampler.setDomain(HOST);
        sampler.setPort(port);
        sampler.setMethod("GET");
        // As a plan has it that was written with the query in its path: setPath would have it encoded anew each time.
        sampler.setProperty(AjpSampler.PATH, "/echo?t=" + TEXT);
        return sampler;
    }

    /** Compares what came with the text. */
    private static final class Checked extends AbstractTestElement implements SampleListener, NoThreadClone {
        private static final long serialVersionUID = 1;
        private static final byte[] EXPECTED = TEXT.getBytes(StandardCharsets.US_ASCII);

        final transient LongAdder answered = new LongAdder();

        @Override
        public void sampleOccurred(SampleEvent event) {
            SampleResult result = event.getResult();
            if (result.isSuccessful() && Arrays.equals(result.getResponseData(), EXPECTED)) {
                answered.increment();
            } else {
                System.err.println(result.getResponseCode() + " " + result.getResponseMessage());
            }
        }

        @Override
        public void sampleStarted(SampleEvent event) {}

        @Override
        public void sampleStopped(SampleEvent event) {}
    }
}
