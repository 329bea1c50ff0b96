package whittle.workloads.orders.stages;

import whittle.workloads.orders.Order;

/** A stage that each order passes. */
interface Stage {
    /** Handles an order and passes it to the other stages. Returns the sum of the services' answers. */
    int pass(Order order, Pipeline rest);
}
