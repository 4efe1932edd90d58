import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL of its own: unpacked and made below a directory that is removed afterwards, reached by a Unix socket there. */
final class Postgres {
    /**
     * The server refuses to run as root, and no other user could read the directory: so root under another number, in a
     * namespace of its own.
     */
    private static final List<String> AS_NOBODY = List.of("unshare", "--user", "--map-user=65534", "--map-group=65534");
    private static final long START_MS_MAX = 60_000;
    private static final long STOP_S_MAX = 8;

    private final Process process;

    private Postgres(Process process) {
        this.process = process;
    }

    /**
     * Starts it, a child of this process, and waits until it answers.
     *
     * @param settings as {@code max_connections=20}
     */
    static Postgres start(Path archive, Path temp, List<String> settings) throws IOException, InterruptedException {
        Path home = Files.createDirectories(temp.resolve("postgresql"));
        String data = temp.resolve("data").toString();
        run(List.of("tar", "-xJf", archive.toString(), "-C", home.toString(), "--no-same-owner"));
        run(unprivileged(List.of(home + "/bin/initdb", "--pgdata=" + data, "--username=shop", "--auth=trust", "--no-sync",
                "--encoding=UTF8", "--no-locale")));
        List<String> command = new ArrayList<>(List.of(home + "/bin/postgres", "-D", data, "-k", temp.toString()));
        for (String setting : settings) {
            command.add("-c");
            command.add(setting);
        }
        Postgres postgres = new Postgres(new ProcessBuilder(unprivileged(command)).inheritIO().start());
        postgres.awaitReady(Path.of(data, "postmaster.pid"));
        return postgres;
    }

    /** Ends it as soon as nobody is connected. */
    void stop() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_S_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last line of the file says when the server is ready. */
    private void awaitReady(Path file) throws IOException, InterruptedException {
        for (long end = System.currentTimeMillis() + START_MS_MAX; System.currentTimeMillis() < end; Thread.sleep(20)) {
            if (!process.isAlive()) {
                throw new IOException("PostgreSQL ended with " + process.exitValue());
            }
            if (Files.exists(file) && Files.readString(file).stripTrailing().endsWith("ready")) {
                return;
            }
        }
        throw new IOException("PostgreSQL was not ready within " + START_MS_MAX + " ms");
    }

    private static List<String> unprivileged(List<String> command) {
        List<String> whole = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            whole.addAll(AS_NOBODY);
        }
        whole.addAll(command);
        return whole;
    }

    private static void run(List<String> command) throws IOException, InterruptedException {
        int status = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (status != 0) {
            throw new IOException(String.join(" ", command) + " ended with " + status);
        }
    }
}
