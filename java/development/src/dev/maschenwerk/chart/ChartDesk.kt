package dev.maschenwerk.chart

import com.acme.load.Load
import kotlin.math.PI
import kotlin.math.cos
import kotlin.math.sin

enum class Stitch(val sign: String, val minutes: Double) {
    KNIT("|", 0.031), PURL("-", 0.036), YARN_OVER("o", 0.022), DECREASE("/", 0.055), CABLE_LEFT(">c", 0.12), CABLE_RIGHT("<c", 0.12)
}

/** What a motif wants at a place of the fabric, or null if it leaves the place to the others. */
fun interface Motif {
    fun at(row: Int, column: Int): Stitch?
}

class Lace(private val repeat: Int) : Motif {
    override fun at(row: Int, column: Int): Stitch? {
        val wave = sin(2 * PI * column / repeat) * cos(2 * PI * row / (repeat + 3))
        return when {
            wave > 0.86 -> Stitch.YARN_OVER
            wave < -0.86 -> Stitch.DECREASE
            else -> null
        }
    }
}

class Cable(private val every: Int, private val turn: Int) : Motif {
    override fun at(row: Int, column: Int): Stitch? = when {
        column % every != every / 2 || row % turn != 0 -> null
        (row / turn + column / every) % 2 == 0 -> Stitch.CABLE_LEFT
        else -> Stitch.CABLE_RIGHT
    }
}

class Ribbing(private val width: Int) : Motif {
    override fun at(row: Int, column: Int) = if ((column / width + row % 2) % 2 == 0) Stitch.KNIT else Stitch.PURL
}

class Fabric private constructor(val rows: Int, val columns: Int, private val motifs: List<Motif>) {
    fun stitch(row: Int, column: Int): Stitch = motifs.firstNotNullOfOrNull { it.at(row, column) } ?: Stitch.KNIT

    class Builder(private val rows: Int, private val columns: Int) {
        private val motifs = mutableListOf<Motif>()
        fun with(motif: Motif) = apply { motifs += motif }
        fun build() = Fabric(rows, columns, motifs.toList())
    }
}

class ChartPrinter(private val fabric: Fabric) {
    private var minutes = 0.0

    fun rowText(row: Int): String {
        var text = "%3d ".format(row + 1) // [edit]
        // [new] val text = StringBuilder("%3d ".format(row + 1))
        for (column in 0 until fabric.columns) {
            val stitch = fabric.stitch(row, column)
            minutes += stitch.minutes
            text += stitch.sign // [call] [edit]
            // [new] text.append(stitch.sign)
        }
        return text // [old]
        // [new] return text.toString()
    }

    fun print(): Chart {
        val counts = IntArray(128)
        val lines = (0 until fabric.rows).map(::rowText)
        for (line in lines) for (sign in line) counts[sign.code]++
        return Chart(lines.hashCode(), counts['o'.code], counts['c'.code], minutes)
    }
}

data class Chart(val fingerprint: Int, val holes: Int, val cables: Int, val minutes: Double)

object ChartDesk {
    @JvmStatic
    fun main(args: Array<String>) {
        var size = 0
        Load.onThreads(2, "chart") {
            size++
            val fabric = Fabric.Builder(40, 300 + 20 * size)
                .with(Lace(11 + size)).with(Cable(9, 6)).with(Ribbing(2))
                .build()
            Load.Unit { Load.kept = ChartPrinter(fabric).print() }
        }
    }
}
