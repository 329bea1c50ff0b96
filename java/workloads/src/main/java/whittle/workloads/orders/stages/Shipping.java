package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Sends the goods. Each step calls another service. */
public final class Shipping implements Stage {
    private final RemoteServices services;

    public Shipping(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return chooseCarrier(order)
                + bookPickup(order)
                + printLabel(order)
                + announceParcel(order)
                + rest.pass(order);
    }

    private int chooseCarrier(Order order) {
        return services.ask("Shipping.chooseCarrier", "shipping/choose-carrier", order.number);
    }

    private int bookPickup(Order order) {
        return services.ask("Shipping.bookPickup", "shipping/book-pickup", order.totalCents);
    }

    private int printLabel(Order order) {
        return services.ask("Shipping.printLabel", "shipping/print-label", order.products[0]);
    }

    private int announceParcel(Order order) {
        return services.ask("Shipping.announceParcel", "shipping/announce-parcel", order.lineCount + order.number);
    }
}
