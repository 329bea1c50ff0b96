package com.redkite.reserves

import com.acme.load.Load
import java.awt.geom.Path2D
// [new] import java.awt.geom.Rectangle2D
import java.util.Random
import kotlin.math.PI
import kotlin.math.abs
import kotlin.math.sin

/** Collects sightings of birds: which nature reserves are concerned, and where a species gathers. */
object SightingMap {
    private const val SIZE = 200

    data class Sighting(val species: Int, val x: Double, val y: Double, val birds: Int)

    class Reserve(val name: String, val outline: Path2D.Double) {
        // [new] val extent: Rectangle2D = outline.bounds2D
        val birds = IntArray(40)
        var visits = 0

        fun note(sighting: Sighting) {
            birds[sighting.species] += sighting.birds
            visits++
        }
    }

    /** A map on which each sighting leaves a hill. */
    class Density(private val reach: Int) {
        private val cells = Array(SIZE) { FloatArray(SIZE) }

        fun add(sighting: Sighting) {
            val column = sighting.x.toInt()
            val row = sighting.y.toInt()
            for (y in maxOf(0, row - reach)..minOf(SIZE - 1, row + reach)) {
                val line = cells[y]
                val dy = y + 0.5 - sighting.y
                for (x in maxOf(0, column - reach)..minOf(SIZE - 1, column + reach)) {
                    val dx = x + 0.5 - sighting.x
                    val near = 1 - (dx * dx + dy * dy) / (reach * reach)
                    if (near > 0) line[x] += (near * near * sighting.birds).toFloat()
                }
            }
        }

        fun fade() = cells.forEach { line -> for (x in line.indices) line[x] *= 0.9f }

        fun peak() = cells.maxOf { it.max() }
    }

    class Warden(private val reserves: List<Reserve>, private val random: Random) {
        private val densities = List(4) { Density(8 + 2 * it) }
        private var protectedBirds = 0L

        private fun report() = Sighting(random.nextInt(40), random.nextDouble() * SIZE, random.nextDouble() * SIZE, 1 + random.nextInt(30))

        private fun concerned(sighting: Sighting): List<Reserve> =
            reserves.filter { it.outline.contains(sighting.x, sighting.y) } // [call] [edit]
            // [new] reserves.filter { it.extent.contains(sighting.x, sighting.y) && it.outline.contains(sighting.x, sighting.y) }

        fun morning() {
            densities.forEach(Density::fade)
            repeat(150) {
                val sighting = report()
                val concerned = concerned(sighting)
                concerned.forEach { it.note(sighting) }
                if (concerned.isNotEmpty()) protectedBirds += sighting.birds
                densities[sighting.species % densities.size].add(sighting)
            }
            Load.kept = protectedBirds * 31 + densities.maxOf { it.peak() }.toLong()
        }
    }

    private fun reserve(name: String, random: Random): Reserve {
        val centerX = random.nextDouble() * SIZE
        val centerY = random.nextDouble() * SIZE
        val radius = 6 + random.nextDouble() * 14
        val outline = Path2D.Double()
        val corners = 36 + random.nextInt(24)
        for (corner in 0 until corners) {
            val angle = 2 * PI * corner / corners
            val shore = radius * (0.7 + abs(sin(3 * angle)) * 0.3)
            val x = centerX + shore * sin(angle + PI / 2)
            val y = centerY + shore * sin(angle)
            if (corner == 0) outline.moveTo(x, y) else outline.lineTo(x, y)
        }
        outline.closePath()
        return Reserve(name, outline)
    }

    @JvmStatic
    fun main(args: Array<String>) {
        Load.onThreads(2, "warden") {
            val random = Random(1962)
            val warden = Warden(List(24) { reserve("reserve $it", random) }, random)
            Load.Unit { warden.morning() }
        }
    }
}
