package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Checks the sender of an order. Each step calls another service. */
public final class Validation implements Stage {
    private final RemoteServices services;

    public Validation(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return checkCustomer(order)
                + checkAddress(order)
                + checkCountry(order)
                + checkSanctions(order)
                + rest.pass(order);
    }

    private int checkCustomer(Order order) {
        return services.ask("Validation.checkCustomer", "validation/check-customer", order.number);
    }

    private int checkAddress(Order order) {
        return services.ask("Validation.checkAddress", "validation/check-address", order.totalCents);
    }

    private int checkCountry(Order order) {
        return services.ask("Validation.checkCountry", "validation/check-country", order.products[0]);
    }

    private int checkSanctions(Order order) {
        return services.ask("Validation.checkSanctions", "validation/check-sanctions", order.lineCount + order.number);
    }
}
