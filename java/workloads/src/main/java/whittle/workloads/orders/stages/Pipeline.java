package whittle.workloads.orders.stages;

import java.util.List;
import whittle.workloads.orders.Order;
import whittle.workloads.orders.RemoteServices;

/** All stages, or the last stages. Stages call each other, as filters and interceptors do, so stacks are deep. */
public final class Pipeline {
    private final List<Stage> stages;
    private final int first;
    private final Pipeline rest;

    private Pipeline(List<Stage> stages, int first) {
        this.stages = stages;
        this.first = first;
        rest = first < stages.size() ? new Pipeline(stages, first + 1) : null;
    }

    /** All stages, in their order. */
    public static Pipeline of(RemoteServices services) {
        return new Pipeline(List.of(new Validation(services), new Customers(services), new Stock(services),
                new Taxes(services), new Payment(services), new Shipping(services), new Invoicing(services),
                new Notification(services)), 0);
    }

    /** Passes an order through these stages. Returns the sum of the services' answers. */
    public int pass(Order order) {
        return rest == null ? 0 : stages.get(first).pass(order, rest);
    }
}
