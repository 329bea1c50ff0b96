package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Reserves the ordered goods. Each step calls another service. */
public final class Stock implements Stage {
    private final RemoteServices services;

    public Stock(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return findWarehouse(order)
                + readLevels(order)
                + reserve(order)
                + orderMissing(order)
                + rest.pass(order);
    }

    private int findWarehouse(Order order) {
        return services.ask("Stock.findWarehouse", "stock/find-warehouse", order.number);
    }

    private int readLevels(Order order) {
        return services.ask("Stock.readLevels", "stock/read-levels", order.totalCents);
    }

    private int reserve(Order order) {
        return services.ask("Stock.reserve", "stock/reserve", order.products[0]);
    }

    private int orderMissing(Order order) {
        return services.ask("Stock.orderMissing", "stock/order-missing", order.lineCount + order.number);
    }
}
