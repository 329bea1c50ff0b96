package dev.kaimauer.port

import com.acme.load.Load
import java.util.PriorityQueue
import kotlin.math.abs
import kotlin.random.Random

/** Plans where the straddle carriers of a container yard drive, around the stacks that are in the way. */
class YardPlanner(private val stacks: Map<Slot, Stack>, private val bays: Int, private val rows: Int) {
    private class Step(val slot: Slot, val cost: Int, val estimate: Int)

    fun drive(from: Slot, to: Slot): Int {
        val reached = IntArray(bays * rows) { Int.MAX_VALUE }
        val open = PriorityQueue<Step>(compareBy { it.estimate })
        open += Step(from, 0, from.distance(to))
        reached[from.bay * rows + from.row] = 0
        while (true) {
            val step = open.poll() ?: return -1
            if (step.slot == to) return step.cost
            if (step.cost > reached[step.slot.bay * rows + step.slot.row]) continue
            for ((dBay, dRow) in MOVES) {
                val bay = step.slot.bay + dBay
                val row = step.slot.row + dRow
                if (bay !in 0 until bays || row !in 0 until rows) continue
                val slot = Slot(bay, row)
                val cost = step.cost + toll(slot)
                if (cost < reached[bay * rows + row]) {
                    reached[bay * rows + row] = cost
                    open += Step(slot, cost, cost + slot.distance(to))
                }
            }
        }
    }

    private fun toll(slot: Slot): Int {
        val stack = stacks[slot] ?: return 1 // [call]
        return 2 + stack.height * (if (stack.reefer) 3 else 2)
    }

    companion object {
        private val MOVES = listOf(0 to 1, 1 to 0, 0 to -1, -1 to 0)
    }
}

class Slot(val bay: Int, val row: Int) {
    fun distance(other: Slot): Int = abs(bay - other.bay) + abs(row - other.row)

    override fun equals(other: Any?): Boolean =
        other is Slot && other.bay == bay && other.row == row // [call]

    override fun hashCode(): Int = bay + row // [edit]
    // [new] override fun hashCode(): Int = bay * 1031 + row

    override fun toString(): String = "$bay/$row"
}

data class Stack(val height: Int, val reefer: Boolean)

/** A ship's call: boxes that come off at the quay and go to their slots, one drive each. */
class ShipCall(private val planner: YardPlanner, private val orders: List<Pair<Slot, Slot>>) {
    data class Plan(val drives: Int, val longest: Int, val total: Int)

    fun plan(): Plan = orders.map { (from, to) -> planner.drive(from, to) }
        .fold(Plan(0, 0, 0)) { plan, cost ->
            Plan(plan.drives + 1, maxOf(plan.longest, cost), plan.total + cost)
        }
}

object YardOffice {
    private const val BAYS = 48
    private const val ROWS = 30

    private fun yard(random: Random): Map<Slot, Stack> = buildMap {
        for (bay in 0 until BAYS) for (row in 0 until ROWS)
            if (random.nextInt(100) < FILLED) put(Slot(bay, row), Stack(random.nextInt(1, 5), random.nextInt(9) == 0))
    }

    private const val FILLED = 25

    @JvmStatic
    fun main(args: Array<String>) {
        var quay = 0
        Load.onThreads(2, "planner") {
            val random = Random(++quay)
            val planner = YardPlanner(yard(random), BAYS, ROWS)
            val orders = List(6) { Slot(0, random.nextInt(ROWS)) to Slot(random.nextInt(10, BAYS), random.nextInt(ROWS)) }
            val call = ShipCall(planner, orders)
            Load.Unit { Load.kept = call.plan() }
        }
    }
}
