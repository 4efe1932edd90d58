import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.util.Version;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * One Netty server for HTTP, which answers in its event loops.
 *
 * <p>Arguments: port, nio, epoll or io_uring, event loops, threads for what blocks, length of the accept queue.
 */
public final class NettySubject {
    private NettySubject() {}

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(args[0]);
        int loops = Integer.parseInt(args[2]);
        ExecutorService blocking = Executors.newFixedThreadPool(Integer.parseInt(args[3]));
        EventLoopGroup acceptor = new MultiThreadIoEventLoopGroup(1, io(args[1]));
        EventLoopGroup workers = new MultiThreadIoEventLoopGroup(loops, io(args[1]));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            blocking.shutdownNow();
            // Without the time in which Netty waits for more work, 2 s.
            acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            workers.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }));
        Channel server = new ServerBootstrap()
                .group(acceptor, workers)
                .channel(channel(args[1]))
                .option(ChannelOption.SO_BACKLOG, Integer.parseInt(args[4]))
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel client) {
                        client.pipeline().addLast(
                                new HttpServerCodec(),
                                new HttpObjectAggregator(Answers.BODY_BYTES_MAX),
                                new Serving(blocking));
                    }
                })
                .bind(new InetSocketAddress(System.getProperty("subject.address", "127.0.0.1"), port))
                .sync()
                .channel();
        System.out.println("Netty " + Version.identify().get("netty-transport").artifactVersion() + ", "
                + server.getClass().getSimpleName() + " on port " + port + "; " + Answers.machine());
        server.closeFuture().sync();
    }

    private static IoHandlerFactory io(String transport) {
        switch (transport) {
            case "nio": return NioIoHandler.newFactory();
            case "epoll": return EpollIoHandler.newFactory();
            case "io_uring": return IoUringIoHandler.newFactory();
            default: throw new IllegalArgumentException("transport " + transport);
        }
    }

    private static Class<? extends ServerSocketChannel> channel(String transport) {
        switch (transport) {
            case "nio": return NioServerSocketChannel.class;
            case "epoll": return EpollServerSocketChannel.class;
            default: return IoUringServerSocketChannel.class;
        }
    }

    /** One connection. Answers leave in the order of the requests, also while one of them waits elsewhere. */
    private static final class Serving extends SimpleChannelInboundHandler<FullHttpRequest> {
        private final ExecutorService blocking;
        private final Queue<FullHttpRequest> behind = new ArrayDeque<>();
        private boolean waits;

        Serving(ExecutorService blocking) {
            this.blocking = blocking;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws IOException {
            if (waits) {
                behind.add(request.retain());
            } else {
                serve(context, request);
            }
        }

        private void serve(ChannelHandlerContext context, FullHttpRequest request) throws IOException {
            boolean keep = HttpUtil.isKeepAlive(request);
            String uri = request.uri();
            int query = uri.indexOf('?');
            switch (query < 0 ? uri : uri.substring(0, query)) {
                case "/echo":
                    if (request.method().equals(HttpMethod.POST)) {
                        byte[] body = Answers.body(new ByteBufInputStream(request.content()));
                        answer(context, keep, Answers.BYTES, body);
                    } else {
                        List<String> texts = query < 0 ? null : new QueryStringDecoder(uri).parameters().get("t");
                        answer(context, keep, Answers.TEXT, Answers.echo(texts == null ? null : texts.get(0)));
                    }
                    break;
                case "/thread":
                    answer(context, keep, Answers.TEXT, Answers.thread());
                    break;
                case "/wait":
                    waits = true;
                    // An event loop must not block.
                    blocking.execute(() -> waitElsewhere(context, keep));
                    break;
                default:
                    send(context, keep, new DefaultFullHttpResponse(
                            HttpVersion.HTTP_1_1, HttpResponseStatus.NOT_FOUND, Unpooled.EMPTY_BUFFER));
            }
        }

        private void waitElsewhere(ChannelHandlerContext context, boolean keep) {
            try {
                byte[] body = Answers.query();
                context.executor().execute(() -> goOn(context, keep, body));
            } catch (InterruptedException e) {
                // Only the end of the server interrupts.
                context.close();
            }
        }

        private void goOn(ChannelHandlerContext context, boolean keep, byte[] body) {
            waits = false;
            answer(context, keep, Answers.TEXT, body);
            while (!waits && !behind.isEmpty()) {
                FullHttpRequest next = behind.remove();
                try {
                    serve(context, next);
                } catch (IOException e) {
                    exceptionCaught(context, e);
                } finally {
                    next.release();
                }
            }
            context.flush();
        }

        private static void answer(ChannelHandlerContext context, boolean keep, String type, byte[] body) {
            Answers.spin();
            FullHttpResponse response = new DefaultFullHttpResponse(
                    HttpVersion.HTTP_1_1, HttpResponseStatus.OK, Unpooled.wrappedBuffer(body));
            response.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
            send(context, keep, response);
        }

        private static void send(ChannelHandlerContext context, boolean keep, FullHttpResponse response) {
            HttpUtil.setContentLength(response, response.content().readableBytes());
            HttpUtil.setKeepAlive(response, keep);
            if (keep) {
                context.write(response);
            } else {
                context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            behind.forEach(FullHttpRequest::release);
            behind.clear();
            context.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // A client that went away is no news.
            if (!(cause instanceof IOException || cause instanceof PrematureChannelClosureException)) {
                cause.printStackTrace();
            }
            context.close();
        }
    }
}
