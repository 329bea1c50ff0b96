package com.thistledown.seedbank

import com.acme.load.Load
import java.io.ByteArrayOutputStream
import java.io.File
import java.io.InputStream
import java.nio.file.Files
import kotlin.math.abs
import kotlin.math.exp
import kotlin.random.Random

/** Germination trials of a seed bank: dishes are counted daily into compact files, from which curves are fitted. */
object GerminationTrials {
    data class Dish(val lot: Int, val sown: Int, val daily: List<Int>)

    data class Curve(val lot: Int, val midpoint: Double, val steepness: Double, val error: Double)

    /** Numbers of seven bits per byte, least first; the last byte of a number is below 128. */
    class TrialReader(private val input: InputStream) : Iterator<Dish> {
        private var remaining = number()

        private fun number(): Int {
            var value = 0
            var shift = 0
            while (true) {
                val byte = input.read() // [call] [or]
                check(byte >= 0) { "trial ends early" }
                value = value or ((byte and 127) shl shift)
                if (byte < 128) return value
                shift += 7
            }
        }

        override fun hasNext() = remaining > 0

        override fun next(): Dish {
            remaining--
            val lot = number()
            val sown = number()
            return Dish(lot, sown, List(number()) { number() })
        }
    }

    class Greenhouse(private val trials: List<File>) {
        private var turn = 0

        fun evaluate(): List<Curve> {
            val trial = trials[turn++ % trials.size]
            val dishes = trial.inputStream().use { stream -> // [edit]
            // [new] val dishes = trial.inputStream().buffered().use { stream ->
                TrialReader(stream).asSequence().toList()
            }
            return dishes.groupBy { it.lot }
                .map { (lot, group) -> fit(lot, shares(group)) }
                .sortedBy { it.error }
        }

        private fun shares(group: List<Dish>): DoubleArray {
            val days = group.maxOf { it.daily.size }
            val sown = group.sumOf { it.sown }.toDouble()
            var soFar = 0
            return DoubleArray(days) { day ->
                soFar += group.sumOf { it.daily.getOrElse(day) { 0 } }
                soFar / sown
            }
        }

        private fun fit(lot: Int, shares: DoubleArray): Curve {
            val top = shares.last().coerceAtLeast(0.01)
            var best = Curve(lot, 0.0, 0.0, Double.MAX_VALUE)
            for (m in 4..40) {
                for (s in 1..12) {
                    val midpoint = m * 0.45
                    val steepness = s * 0.1
                    var error = 0.0
                    for (day in shares.indices)
                        error += abs(shares[day] - top / (1 + exp(-steepness * (day - midpoint))))
                    if (error < best.error) best = Curve(lot, midpoint, steepness, error)
                }
            }
            return best
        }
    }

    private fun ByteArrayOutputStream.number(value: Int) {
        var rest = value
        while (rest > 127) {
            write(rest and 127 or 128)
            rest = rest shr 7
        }
        write(rest)
    }

    private fun record(file: File, random: Random): File {
        val out = ByteArrayOutputStream()
        val dishes = 40
        out.number(dishes)
        repeat(dishes) {
            out.number(1000 + it / 2)
            out.number(200)
            out.number(24)
            repeat(24) { day -> out.number((random.nextInt(30) * exp(-(day - 9.0) * (day - 9.0) / 30)).toInt()) }
        }
        return file.apply { writeBytes(out.toByteArray()) }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val folder = Files.createTempDirectory("trials").toFile()
        val random = Random(77)
        val trials = List(12) { record(folder.resolve("trial-$it.bin"), random) }
        Load.onThreads(2, "greenhouse") {
            val greenhouse = Greenhouse(trials)
            Load.Unit { Load.kept = greenhouse.evaluate() }
        }
    }
}
