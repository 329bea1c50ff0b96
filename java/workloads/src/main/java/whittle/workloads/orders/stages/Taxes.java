package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** Computes taxes and customs. Each step calls another service. */
public final class Taxes implements Stage {
    private final RemoteServices services;

    public Taxes(RemoteServices services) {
        this.services = services;
    }

    @Override
    public int pass(Order order, Pipeline rest) {
        return findJurisdiction(order)
                + loadRates(order)
                + checkExemption(order)
                + declareCustoms(order)
                + rest.pass(order);
    }

    private int findJurisdiction(Order order) {
        return services.ask("Taxes.findJurisdiction", "taxes/find-jurisdiction", order.number);
    }

    private int loadRates(Order order) {
        return services.ask("Taxes.loadRates", "taxes/load-rates", order.totalCents);
    }

    private int checkExemption(Order order) {
        return services.ask("Taxes.checkExemption", "taxes/check-exemption", order.products[0]);
    }

    private int declareCustoms(Order order) {
        return services.ask("Taxes.declareCustoms", "taxes/declare-customs", order.lineCount + order.number);
    }
}
