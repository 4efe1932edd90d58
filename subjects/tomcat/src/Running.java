import org.apache.catalina.Container;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;

/** How a Tomcat from 7 on runs: with all that it was given, or not at all, and until its process is ended. */
final class Running {
    private Running() {}

    /** Starts it, says what runs, and returns when it is ended. */
    static void untilEnded(Tomcat tomcat) throws LifecycleException {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(tomcat)));
        tomcat.start();
        // Tomcat goes on without an application whose filter does not start, and without a connector that cannot listen.
        for (Container application : tomcat.getHost().findChildren()) {
            demand(application.getState(), "an application");
        }
        for (Connector connector : tomcat.getService().findConnectors()) {
            demand(connector.getState(), connector.toString());
            System.out.println(connector.getProtocolHandlerClassName() + " on port " + connector.getPort()
                    + "; " + ServerInfo.getServerInfo() + "; " + Answers.machine());
        }
        tomcat.getServer().await();
    }

    private static void demand(LifecycleState state, String what) {
        if (state != LifecycleState.STARTED) {
            System.err.println(what + " did not start: " + state);
            System.exit(1);
        }
    }

    private static void stop(Tomcat tomcat) {
        try {
            tomcat.stop();
            tomcat.destroy();
        } catch (LifecycleException e) {
            e.printStackTrace();
        }
    }
}
