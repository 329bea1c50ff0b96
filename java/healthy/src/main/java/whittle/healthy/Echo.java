package whittle.healthy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Supplier;

/** Netty: an echo server and eight clients over loopback. Messages have a length prefix, and each client has sixteen open. */
public final class Echo {
    private static final int CLIENTS = 8, ON_THEIR_WAY = 16, MESSAGE_BYTES = 256;

    private Echo() {}

    /** Sends everything back, with one flush for all messages that arrived together. */
    private static final class Server extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** Reads an answer, sends the next message. */
    private static final class Client extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < ON_THEIR_WAY; i++) send(context, i);
            context.flush();
        }

        private static void send(ChannelHandlerContext context, long number) {
            ByteBuf message = context.alloc().buffer(MESSAGE_BYTES);
            for (int i = 0; i < MESSAGE_BYTES; i += Long.BYTES) message.writeLong(number + i);
            context.write(message, context.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf answer = (ByteBuf) message;
            long number = answer.readLong();
            answer.release();
            Load.done();
            send(context, number + 1);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    private static ChannelInitializer<Channel> frames(Supplier<ChannelInboundHandlerAdapter> handler) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(
                        new LengthFieldBasedFrameDecoder(1 << 16, 0, 4, 0, 4), new LengthFieldPrepender(4), handler.get());
            }
        };
    }

    /** Runs for {@code -Dseconds}. */
    public static void main(String[] arguments) throws Exception {
        EventLoopGroup accepting = new NioEventLoopGroup(1), serving = new NioEventLoopGroup(1), asking = new NioEventLoopGroup(1);
        InetSocketAddress address = (InetSocketAddress) new ServerBootstrap().group(accepting, serving)
                .channel(NioServerSocketChannel.class).childHandler(frames(Server::new))
                .bind(InetAddress.getLoopbackAddress(), 0).sync().channel().localAddress();
        Bootstrap client = new Bootstrap().group(asking).channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true).handler(frames(Client::new));
        for (int i = 0; i < CLIENTS; i++) client.connect(address).sync();
        Load.finish();
    }
}
