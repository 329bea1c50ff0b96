package com.brightkiln.glaze

import com.acme.load.Load
import java.util.Random
import kotlin.math.abs
import kotlin.math.exp
import kotlin.math.max
import kotlin.math.sin

/** What the logger of a kiln wrote during one firing, in microvolts of its thermocouple. */
class Firing(val glaze: Glaze, val microvolts: IntArray)

enum class Glaze(val activation: Double, val ripeAt: Double) {
    CELADON(24_500.0, 31.0),
    TENMOKU(25_800.0, 12.0),
    SALT(22_900.0, 88.0),
}

data class Verdict(val glaze: Glaze, val peak: Double, val heatWork: Double, val holds: Int) {
    val ripe get() = heatWork >= glaze.ripeAt
}

/** Judges firings: smooths the curve, adds up the work of the heat, and looks for the holds of the potter's programme. */
class Judge(private val reach: Int) {
    fun judge(firing: Firing): Verdict {
        val curve = smooth(temperatures(firing))
        val slopes = slopes(curve)
        return Verdict(firing.glaze, peak(curve), heatWork(curve, firing.glaze), holds(slopes))
    }

    private fun temperatures(firing: Firing): List<Double> = // [old]
        despike(firing.microvolts).map { degrees(it) } // [call] [edit]
    // [new] private fun temperatures(firing: Firing) = despike(firing.microvolts).let { DoubleArray(it.size) { i -> degrees(it[i]) } }

    /** The median of each thirteen readings. */
    private fun despike(readings: IntArray): IntArray {
        val few = IntArray(13)
        return IntArray(readings.size - few.size) { start ->
            readings.copyInto(few, 0, start, start + few.size)
            few.sort()
            few[6]
        }
    }

    /** The inverse polynomial of the thermocouple, and the cold end at 22 degrees. */
    private fun degrees(microvolts: Int): Double {
        val mv = microvolts / 1000.0
        var sum = 0.0
        for (c in COEFFICIENTS)
            sum = sum * mv + c
        return sum + 22
    }

    private fun smooth(curve: List<Double>): List<Double> { // [old]
        // [new] private fun smooth(curve: DoubleArray): DoubleArray {
        val weights = DoubleArray(2 * reach + 1) { 1.0 / (1 + abs(it - reach)) }
        return curve.indices.map { i -> // [call] [edit]
        // [new] return DoubleArray(curve.size) { i ->
            var sum = 0.0
            var weight = 0.0
            for (k in max(0, i - reach)..minOf(curve.size - 1, i + reach)) {
                sum += weights[k - i + reach] * curve[k]
                weight += weights[k - i + reach]
            }
            sum / weight // [call]
        }
    }

    private fun slopes(curve: List<Double>): List<Double> = // [old]
        curve.zipWithNext { before, after -> after - before } // [call] [edit]
    // [new] private fun slopes(curve: DoubleArray) = DoubleArray(curve.size - 1) { curve[it + 1] - curve[it] }

    private fun peak(curve: List<Double>) = curve.max() // [old]
    // [new] private fun peak(curve: DoubleArray) = curve.max()

    private fun heatWork(curve: List<Double>, glaze: Glaze): Double { // [old]
        // [new] private fun heatWork(curve: DoubleArray, glaze: Glaze): Double {
        var work = 0.0
        for (celsius in curve)
            if (celsius > 600)
                work += exp(18 - glaze.activation / (celsius + 273.15))
        return work
    }

    private fun holds(slopes: List<Double>): Int { // [old]
        // [new] private fun holds(slopes: DoubleArray): Int {
        var holds = 0
        var still = 0
        for (slope in slopes) {
            still = if (abs(slope) < 0.05) still + 1 else 0
            if (still == 40)
                holds++
        }
        return holds
    }

    private companion object {
        val COEFFICIENTS = doubleArrayOf(1.2e-7, -1.1e-5, 4.1e-4, -7.6e-3, 8.4e-2, -5.9e-1, 40.2, 0.0)
    }
}

object KilnBook {
    private fun fire(random: Random, length: Int): Firing {
        val steps = IntArray(length)
        var level = 0.0
        for (i in steps.indices) {
            val holding = sin(i / 190.0) > 0.4
            level += if (holding) 0.0 else 36_000.0 / length
            steps[i] = (level + random.nextGaussian() * 3).toInt()
        }
        return Firing(Glaze.entries[random.nextInt(3)], steps)
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val random = Random(1260)
        Load.onThreads(2, "kiln") {
            val firings = List(3) { fire(random, 2_600 + 200 * it) }
            val judge = Judge(4)
            Load.Unit {
                val verdicts = firings.map(judge::judge)
                Load.kept = verdicts.joinToString { "${it.glaze} ${it.peak} ${it.heatWork} ${it.holds} ${it.ripe}" }
            }
        }
    }
}
