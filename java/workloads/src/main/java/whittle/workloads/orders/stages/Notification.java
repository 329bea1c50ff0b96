package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Sends notifications. Each step calls another service. */
public final class Notification implements Stage {
    private final RemoteServices services;

    public Notification(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return notifyCustomer(order)
                + notifyWarehouse(order)
                + notifyAccounting(order)
                + notifyPartner(order)
                + rest.pass(order);
    }

    private int notifyCustomer(Order order) {
        return services.ask("Notification.notifyCustomer", "notification/notify-customer", order.number);
    }

    private int notifyWarehouse(Order order) {
        return services.ask("Notification.notifyWarehouse", "notification/notify-warehouse", order.totalCents);
    }

    private int notifyAccounting(Order order) {
        return services.ask("Notification.notifyAccounting", "notification/notify-accounting", order.products[0]);
    }

    private int notifyPartner(Order order) {
        return services.ask("Notification.notifyPartner", "notification/notify-partner", order.lineCount + order.number);
    }
}
