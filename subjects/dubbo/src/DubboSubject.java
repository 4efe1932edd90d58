import com.alibaba.dubbo.config.ApplicationConfig;
import com.alibaba.dubbo.config.ProtocolConfig;
import com.alibaba.dubbo.config.RegistryConfig;
import com.alibaba.dubbo.config.ServiceConfig;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import lab.EchoService;
import lab.EchoServiceImpl;

/**
 * A provider of any Dubbo without a registry, by nothing that is not in all of them.
 *
 * <p>Arguments: port, and parameters of the protocol's URL as {@code name=value}.
 */
public final class DubboSubject {
    /** 127.0.0.1 as one number: for whatever begins with 127 Dubbo listens on every address of the machine. */
    private static final String LOOPBACK = "2130706433";

    private DubboSubject() {}

    public static void main(String[] args) throws InterruptedException {
        try {
            service(Integer.parseInt(args[0]), Arrays.asList(args).subList(1, args.length)).export();
        } catch (RuntimeException why) {
            why.printStackTrace();
            // Threads that have begun would keep it alive.
            System.exit(1);
        }
        System.out.println("Dubbo on port " + args[0] + "; " + Answers.machine());
        // The threads of some transporters are daemons.
        new CountDownLatch(1).await();
    }

    private static ServiceConfig<EchoService> service(int port, Iterable<String> settings) {
        Map<String, String> parameters = new HashMap<String, String>();
        ProtocolConfig protocol = new ProtocolConfig();
        protocol.setName("dubbo");
        String address = System.getProperty("subject.address", "127.0.0.1");
        protocol.setHost(address.startsWith("127.") ? LOOPBACK : address);
        protocol.setPort(port);
        for (String setting : settings) {
            String[] pair = setting.split("=", 2);
            // Dubbo 3 derives from it what clients are offered.
            if (pair[0].equals("serialization")) {
                protocol.setSerialization(pair[1]);
            } else {
                parameters.put(pair[0], pair[1]);
            }
        }
        protocol.setParameters(parameters);
        ServiceConfig<EchoService> service = new ServiceConfig<EchoService>();
        service.setApplication(application());
        RegistryConfig none = new RegistryConfig();
        none.setAddress("N/A");
        service.setRegistry(none);
        service.setProtocol(protocol);
        service.setInterface(EchoService.class);
        service.setRef(new EchoServiceImpl());
        return service;
    }

    private static ApplicationConfig application() {
        ApplicationConfig application = new ApplicationConfig();
        application.setName("echo");
        // A port of its own for orders from outside, since 2.5.8.
        setIfThere(application, "setQosEnable", Boolean.FALSE);
        // Dubbo 3 would offer a service about the service, on the same port and perhaps before it: the port must not
        // answer until the service is there.
        setIfThere(application, "setRegisterMode", "interface");
        return application;
    }

    /** Sets what not all versions have. */
    private static void setIfThere(ApplicationConfig application, String setter, Object value) {
        try {
            ApplicationConfig.class.getMethod(setter, value.getClass()).invoke(application, value);
        } catch (NoSuchMethodException none) {
            // This version does not do it either.
        } catch (ReflectiveOperationException why) {
            throw new IllegalStateException(why);
        }
    }
}
