package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Writes the invoice. Each step calls another service. */
public final class Invoicing implements Stage {
    private final RemoteServices services;

    public Invoicing(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return drawNumber(order)
                + loadTemplate(order)
                + render(order)
                + archive(order)
                + rest.pass(order);
    }

    private int drawNumber(Order order) {
        return services.ask("Invoicing.drawNumber", "invoicing/draw-number", order.number);
    }

    private int loadTemplate(Order order) {
        return services.ask("Invoicing.loadTemplate", "invoicing/load-template", order.totalCents);
    }

    private int render(Order order) {
        return services.ask("Invoicing.render", "invoicing/render", order.products[0]);
    }

    private int archive(Order order) {
        return services.ask("Invoicing.archive", "invoicing/archive", order.lineCount + order.number);
    }
}
