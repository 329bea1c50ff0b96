package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;

/** One of the stages that each order passes. */
interface Stage {
    /** Passes an order, and then the rest of the stages; the sum of what the services answered. */
    int pass(Order order, Pipeline rest);
}
