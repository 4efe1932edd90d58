import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMISocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import lab.EchoService;
import lab.EchoServiceImpl;
import lab.Person;
import lab.RemoteEchoService;

/**
 * A registry and the object that it names "echo", on one port.
 *
 * <p>Arguments: port, length of the listen queue.
 */
public final class RmiSubject implements RemoteEchoService {
    /** What lives only as long as somebody on this side refers to it. */
    private static RemoteEchoService served;
    private static Registry registry;

    private final EchoService handlers = new EchoServiceImpl();

    private RmiSubject() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        Local sockets = new Local(Integer.parseInt(args[1]));
        // For all of RMI rather than for the object: one with sockets of its own is told to clients otherwise.
        RMISocketFactory.setSocketFactory(sockets);
        try {
            served = new RmiSubject();
            registry = LocateRegistry.createRegistry(port);
            registry.bind("echo", UnicastRemoteObject.exportObject(served, port));
        } catch (Exception why) {
            why.printStackTrace();
            // Threads that have begun would keep it alive.
            System.exit(1);
        }
        System.out.println("RMI on port " + port + "; " + Answers.machine());
        sockets.serve.countDown();
    }

    @Override
    public String echo(String text) {
        return handlers.echo(text);
    }

    @Override
    public Person echoPerson(Person person) {
        return handlers.echoPerson(person);
    }

    @Override
    public Map<String, Person> echoMap(Map<String, Person> persons) {
        return handlers.echoMap(persons);
    }

    @Override
    public String random(String text) {
        return handlers.random(text);
    }

    /** Listens on the loopback address alone, and serves nobody before the registry knows the object. */
    private static final class Local extends RMISocketFactory {
        final CountDownLatch serve = new CountDownLatch(1);
        private final int backlog;

        Local(int backlog) {
            this.backlog = backlog;
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return new Socket(host, port);
        }

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            InetAddress own = InetAddress.getByName(System.getProperty("java.rmi.server.hostname"));
            return new ServerSocket(port, backlog, own) {
                @Override
                public Socket accept() throws IOException {
                    try {
                        serve.await();
                    } catch (InterruptedException why) {
                        throw new IOException(why);
                    }
                    return super.accept();
                }
            };
        }
    }
}
