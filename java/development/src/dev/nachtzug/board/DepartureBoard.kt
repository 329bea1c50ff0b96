package dev.nachtzug.board

import com.acme.load.Load
import java.time.Duration
import java.time.ZoneId
import java.time.ZonedDateTime
import java.time.format.DateTimeFormatter
import java.util.Locale
import kotlin.random.Random

data class Stop(val station: String, val zone: ZoneId, val kilometre: Int)

data class Train(val number: Int, val route: List<Stop>, val start: ZonedDateTime, val kmh: Double)

sealed interface Notice {
    data class Delay(val train: Int, val minutes: Long) : Notice
    data class Cancelled(val train: Int) : Notice
}

fun interface Column {
    fun render(departure: Departure): String
}

data class Departure(val train: Train, val stop: Stop, val planned: ZonedDateTime, val delay: Duration, val cancelled: Boolean)

class TimeColumn(private val locale: Locale) : Column {
    // [new] private val format = DateTimeFormatter.ofPattern("EEE HH:mm", locale)

    override fun render(departure: Departure): String {
        val format = DateTimeFormatter.ofPattern("EEE HH:mm", locale) // [call] [edit]
        return format.format(departure.planned + departure.delay)
    }
}

class ViaColumn(private val width: Int) : Column {
    override fun render(departure: Departure): String {
        val ahead = departure.train.route.filter { it.kilometre > departure.stop.kilometre }.map { it.station }
        val text = ahead.dropLast(1).joinToString(" · ")
        val end = ahead.lastOrNull() ?: "ends here"
        return (if (text.length > width) text.take(width - 1) + "…" else text.padEnd(width)) + " " + end.uppercase()
    }
}

class StateColumn : Column {
    override fun render(departure: Departure) = when {
        departure.cancelled -> "cancelled"
        departure.delay.isZero -> ""
        else -> "+${departure.delay.toMinutes()}"
    }
}

/** Follows the notices of the night and shows for a station what leaves when. */
class Board(private val trains: List<Train>, private val columns: List<Column>) {
    private val delays = HashMap<Int, Duration>()
    private val cancelled = HashSet<Int>()

    fun on(notice: Notice) = when (notice) {
        is Notice.Delay -> delays[notice.train] = Duration.ofMinutes(notice.minutes)
        is Notice.Cancelled -> { cancelled += notice.train }
    }

    fun show(station: String): List<String> = trains
        .mapNotNull { train -> train.route.find { it.station == station }?.let { departure(train, it) } }
        .sortedBy { it.planned.toInstant() + it.delay }
        .map { departure -> columns.joinToString("  ") { it.render(departure) } }

    private fun departure(train: Train, stop: Stop): Departure {
        val minutes = stop.kilometre / train.kmh * 60 + 4 * train.route.count { it.kilometre < stop.kilometre }
        val planned = train.start.plusMinutes(minutes.toLong()).withZoneSameInstant(stop.zone)
        return Departure(train, stop, planned, delays[train.number] ?: Duration.ZERO, train.number in cancelled)
    }
}

object DepartureBoard {
    private val STATIONS = listOf("Hamburg", "Berlin", "Praha", "Brno", "Wien", "Graz", "Ljubljana", "Trieste", "Venezia", "Roma")
    private val ZONES = listOf("Europe/Berlin", "Europe/Prague", "Europe/Vienna", "Europe/Rome").map(ZoneId::of)

    @JvmStatic
    fun main(args: Array<String>) {
        var region = 0
        Load.onThreads(2, "board") {
            val random = Random(++region)
            val trains = List(90) { n ->
                val calls = STATIONS.filter { it == "Wien" || random.nextInt(3) > 0 }
                val route = calls.mapIndexed { i, name -> Stop(name, ZONES[i * ZONES.size / calls.size], i * 140 + n % 40) }
                val start = ZonedDateTime.of(2024, 5, 1 + n % 28, random.nextInt(18, 24), random.nextInt(60), 0, 0, ZONES[0])
                Train(400 + n, route, start, 75 + random.nextDouble() * 30)
            }
            val columns = listOf(TimeColumn(Locale.GERMAN), ViaColumn(38), StateColumn())
            val notices = List(40) {
                val number = 400 + random.nextInt(90)
                if (it % 7 == 0) Notice.Cancelled(number) else Notice.Delay(number, random.nextLong(3, 90))
            }
            Load.Unit {
                val board = Board(trains, columns)
                notices.forEach(board::on)
                Load.kept = listOf("Wien", "Praha", "Graz").map { board.show(it).hashCode() }
            }
        }
    }
}
