package dev.shelfmark.catalog

import com.acme.load.Load
import java.util.TreeMap
import kotlin.random.Random

/** A line of a branch library's list: shelfmark; author ; title ; year. */
data class Holding(val shelfmark: Shelfmark, val author: String, val title: String, val year: Int)

data class Shelfmark(val area: String, val decimal: Double, val suffix: String) : Comparable<Shelfmark> {
    override fun compareTo(other: Shelfmark): Int = ORDER.compare(this, other)

    companion object {
        private val ORDER = compareBy<Shelfmark>({ it.area }, { it.decimal }, { it.suffix })
    }
}

class MalformedLine(line: String) : IllegalArgumentException(line)

// [new] private val SHELFMARK = """([A-Z]{1,3})\s*(\d+(?:\.\d+)?)(?:[-/ ]([a-z]\d{0,3}))?""".toRegex()

fun String.toShelfmark(): Shelfmark {
    val form = """([A-Z]{1,3})\s*(\d+(?:\.\d+)?)(?:[-/ ]([a-z]\d{0,3}))?""".toRegex() // [call] [edit]
    val match = form.matchEntire(this) ?: throw MalformedLine(this) // [old]
    // [new] val match = SHELFMARK.matchEntire(this) ?: throw MalformedLine(this)
    val (area, decimal, suffix) = match.destructured
    return Shelfmark(area, decimal.toDouble(), suffix)
}

fun String.toHolding(): Holding {
    val fields = split(';').map(String::trim)
    if (fields.size != 4) throw MalformedLine(this)
    return Holding(fields[0].toShelfmark(), fields[1], fields[2], fields[3].toInt())
}

class UnionCatalog {
    private val shelves = TreeMap<Shelfmark, MutableList<Holding>>()
    private val words = HashMap<String, Int>()

    operator fun plusAssign(holding: Holding) {
        shelves.getOrPut(holding.shelfmark) { ArrayList(2) } += holding
        holding.title.lowercase().split(' ')
            .filter { it.length > 3 }
            .forEach { word -> words.merge(word, 1, Int::plus) }
    }

    fun duplicates(): Int = shelves.values.sumOf { copies ->
        copies.groupingBy { it.author to it.year }.eachCount().count { it.value > 1 }
    }

    fun keywords(count: Int): List<String> =
        words.entries.sortedWith(compareByDescending<Map.Entry<String, Int>> { it.value }.thenBy { it.key })
            .take(count).map { it.key }

    fun span(): Pair<Shelfmark, Shelfmark> = shelves.firstKey() to shelves.lastKey()
}

object ShelfmarkOrder {
    private val AREAS = listOf("BIO", "GEO", "KU", "PHI", "M", "SOZ", "TEC")
    private val AUTHORS = listOf("Brandt, E.", "Okafor, N.", "Silva, M.", "Holm, P.", "Laurent, C.", "Kato, R.")
    private val WORDS = ("A short history of rivers and their cities with maps for young readers from northern islands " +
        "about winter gardens under glass machines that think").split(' ')

    private fun branchList(seed: Int): List<String> {
        val random = Random(seed)
        return List(600) {
            val suffix = if (random.nextInt(3) == 0) "/${'a' + random.nextInt(26)}${random.nextInt(1, 40)}" else ""
            val title = List(random.nextInt(8, 26)) { WORDS.random(random) }.joinToString(" ")
            "${AREAS.random(random)} ${random.nextInt(100, 300)}.${random.nextInt(10)}$suffix ; " +
                "${AUTHORS.random(random)} ; $title ; ${random.nextInt(1960, 2024)}"
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        var branch = 0
        Load.onThreads(3, "catalog") {
            val lines = branchList(++branch)
            Load.Unit {
                val catalog = UnionCatalog()
                lines.asSequence().map(String::toHolding).forEach { catalog += it }
                Load.kept = Triple(catalog.duplicates(), catalog.keywords(8), catalog.span())
            }
        }
    }
}
