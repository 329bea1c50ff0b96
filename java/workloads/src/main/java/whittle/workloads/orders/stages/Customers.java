package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Gets data about the customer. Each step calls another service. */
public final class Customers implements Stage {
    private final RemoteServices services;

    public Customers(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return loadProfile(order)
                + loadContract(order)
                + loadDiscountClass(order)
                + loadPreferences(order)
                + rest.pass(order);
    }

    private int loadProfile(Order order) {
        return services.ask("Customers.loadProfile", "customers/load-profile", order.number);
    }

    private int loadContract(Order order) {
        return services.ask("Customers.loadContract", "customers/load-contract", order.totalCents);
    }

    private int loadDiscountClass(Order order) {
        return services.ask("Customers.loadDiscountClass", "customers/load-discount-class", order.products[0]);
    }

    private int loadPreferences(Order order) {
        return services.ask("Customers.loadPreferences", "customers/load-preferences", order.lineCount + order.number);
    }
}
