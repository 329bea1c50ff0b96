package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Collects the payment. Each step calls another service. */
public final class Payment implements Stage {
    private final RemoteServices services;

    public Payment(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return chooseProvider(order)
                + scoreRisk(order)
                + authorize(order)
                + capture(order)
                + rest.pass(order);
    }

    private int chooseProvider(Order order) {
        return services.ask("Payment.chooseProvider", "payment/choose-provider", order.number);
    }

    private int scoreRisk(Order order) {
        return services.ask("Payment.scoreRisk", "payment/score-risk", order.totalCents);
    }

    private int authorize(Order order) {
        return services.ask("Payment.authorize", "payment/authorize", order.products[0]);
    }

    private int capture(Order order) {
        return services.ask("Payment.capture", "payment/capture", order.lineCount + order.number);
    }
}
